/**
 * The contract of a row of the table: what its responses hold, and how documents and the client name it. The rows are
 * loaded by Workers; contracts, which need zod, are not.
 */
import type * as z from "zod";

/** Ids of no installation, for exchanges (src/judge/exchanges/format.ts). The judge replaces `{unique}` in each run. */
export const UNKNOWN_IDS = ["{unique}", "A.z_0:9-{unique}", "y".repeat(128), "%7a{unique}", "{unique}%3Aa"];

/** A query parameter of a row with the `page` rule. */
export interface ParameterContract {
  readonly name: string;
  readonly description: string;
  /** `cursor`: the form of the contract's `cursor`. */
  readonly form:
    | { readonly type: "integer"; readonly minimum: number; readonly maximum: number; readonly default: number }
    | { readonly type: "string"; readonly enum: readonly string[]; readonly default: string }
    | "cursor";
}

export interface Contract {
  /** The operationId in OpenAPI, and the client's method if it has one. */
  readonly operation: string;
  /** The body of a 200: its name in OpenAPI and among the client's types, and its schema; a text has none. */
  readonly body: { readonly name: string; readonly schema: z.ZodType } | null;
  readonly tag: "Measurement" | "Chain" | "Files";
  readonly summary: string;
  readonly description: string;
  /** Rules between fields, which OpenAPI cannot express. Each ends with its place in docs/spec/api.md. */
  readonly rules: readonly string[];
  /** Codes of a 503 besides the row's `absent` and `store_unavailable`. */
  readonly unavailable?: readonly string[];
  /** Exchanges that do not follow from the row; src/judge/exchanges/format.ts describes the format. */
  readonly exchanges?: string;
  /** In the order in which documents list them. */
  readonly parameters?: readonly ParameterContract[];
  /** The component of `cursor` and `nextCursor`. */
  readonly cursor?: { readonly name: string; readonly pattern: string; readonly description: string };
  /** The client has a method for this file. It has one for every route. */
  readonly isClientMethod?: true;
  /** The client's own type of the method's parameters, if it is not the one that follows from the row's queries. */
  readonly clientParameters?: string;
}
