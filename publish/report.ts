/** What a cycle did, object by object. */
import * as z from "zod";
import type { ResourceName } from "../src/resources/table.ts";
import { Failure } from "../src/values/failure.ts";

/** Why an object was put over one that says nothing any more. */
export const WAS_DAMAGED = "missing or damaged in the store";

export interface ReportRow {
  readonly key: string;
  readonly resource: ResourceName;
  readonly action: "created" | "updated" | "unchanged" | "failed";
  /** Why it was put, or left alone, or what failed. */
  readonly why: string;
  readonly status: number | null;
  readonly bytes: number;
  readonly etag: string | null;
  /** Building and putting. */
  readonly milliseconds: number;
}

/** The stable code of what kept an installation or a source from being published. */
export interface ReportFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface CycleReport {
  /** The instant computed for, epoch ms. */
  readonly at: number;
  readonly rows: readonly ReportRow[];
  /** What keeps an installation or a view from being published. */
  readonly failures: readonly ReportFailure[];
  /** What is published, and may not be what was meant. */
  readonly warnings: readonly ReportFailure[];
}

/** The part of a report that is published. A publisher that never ran a cycle has no instant. */
export type Problems = Omit<CycleReport, "at">;

/** A resource that could not be built or put: its last good object and the other resources are unharmed. */
export function failedRow({ key, resource }: Pick<ReportRow, "key" | "resource">, error: unknown): ReportRow {
  return { key, resource, action: "failed", why: reasonOf(error), status: null, bytes: 0, etag: null, milliseconds: 0 };
}

export function reportFailure({ code, message, hint }: Failure): ReportFailure {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

/** A configured installation that the ledger has no record of: it is published as one never heard of. */
export function unknownInstallation(installationId: string, known: readonly string[]): ReportFailure {
  const named = known.length === 0 ? "it has none" : `it has ${known.slice(0, 10).join(", ")}`;
  return {
    code: "unknown_installation",
    message: `the ledger knows no installation ${installationId}: ${named}`,
    hint: "It is published as one never heard of; the setting installationId may be mistyped.",
  };
}

/** Of a body that breaks its schema, the rule and where. */
function reasonOf(error: unknown): string {
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `invalid_body: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "breaks its schema"}`;
  }
  return error instanceof Error ? error.message : String(error);
}
