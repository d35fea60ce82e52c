/**
 * The contract of a row of the table: its responses, and their names in the documents and the client. Workers load the
 * rows but not the contracts, which need zod.
 */
import type * as z from "zod";

/** Unknown ids for exchanges (src/verify/exchanges/format.ts). The checker replaces `{unique}` in each run. */
export const UNKNOWN_IDS = ["{unique}", "A.z_0:9-{unique}", "y".repeat(128), "%7a{unique}", "{unique}%3Aa"];

/** A query parameter that the row's handler reads. */
export interface ParameterContract {
  readonly name: string;
  readonly description: string;
  /** `cursor`: the pattern is that of the contract's `cursor`. */
  readonly form:
    | { readonly type: "integer"; readonly minimum: number; readonly maximum: number; readonly default: number }
    | { readonly type: "string"; readonly enum: readonly string[]; readonly default: string }
    | "cursor";
}

export interface Contract {
  /** The operationId in OpenAPI, and the name of the client's method, if any. */
  readonly operation: string;
  /** The path in OpenAPI if the row's placeholder has slashes, which OpenAPI does not allow. */
  readonly path?: string;
  /** A 200's body: its schema, and its name in OpenAPI and in the client. Null for text. */
  readonly body: { readonly name: string; readonly schema: z.ZodType } | null;
  readonly tag: "Measurement" | "Chain" | "Files";
  readonly summary: string;
  readonly description: string;
  /** Rules between fields, which OpenAPI cannot express. Each ends with its section in docs/spec/api.md. */
  readonly rules: readonly string[];
  /** Codes of 503s, besides the row's `absent` and `store_unavailable`. */
  readonly unavailable?: readonly string[];
  /** Exchanges that cannot be derived from the row (format: src/verify/exchanges/format.ts). */
  readonly exchanges?: string;
  /** In the order of the documents. */
  readonly parameters?: readonly ParameterContract[];
  /** The component of `cursor` and `nextCursor`. */
  readonly cursor?: { readonly name: string; readonly pattern: string; readonly description: string };
  /** True if the client has a method for this file. Every route has one. */
  readonly isClientMethod?: true;
  /** The client's parameter type, if it cannot be derived from the row's queries. */
  readonly clientParameters?: string;
}
