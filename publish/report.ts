/** The report of a cycle, object by object. */
import * as z from "zod";
import { StoreUnavailable } from "../src/object-store/object-store.ts";
import type { ResourceName } from "../src/resources/table.ts";
import { Failure } from "../src/values/failure.ts";
import { errorMessage } from "../src/values/unknown.ts";

export const WAS_DAMAGED = "missing or damaged in the store";

export interface ReportRow {
  readonly key: string;
  readonly resource: ResourceName;
  readonly action: "created" | "updated" | "unchanged" | "failed";
  /** Why it was put or left, or what failed. */
  readonly why: string;
  /** The stable code of what failed, if it has one. */
  readonly code?: string;
  readonly status: number | null;
  readonly bytes: number;
  readonly etag: string | null;
  /** Time to build and put. */
  readonly milliseconds: number;
}

export interface CycleReport {
  /** The instant of the cycle, epoch ms. */
  readonly at: number;
  /** The planned objects, and those that failed before and have not succeeded since. */
  readonly rows: readonly ReportRow[];
  /** Why an installation or a view could not be published. */
  readonly failures: readonly Failure[];
  /** Possible mistakes of the operator. Everything was published. */
  readonly warnings: readonly Failure[];
}

/** An object that could not be built or put. Its last good version and the other objects stay. */
export function failedRow({ key, resource }: Pick<ReportRow, "key" | "resource">, error: unknown): ReportRow {
  const row = { key, resource, action: "failed", why: reasonOf(error), status: null, bytes: 0 } as const;
  const code = codeOf(error);
  return { ...row, ...(code === undefined ? {} : { code }), etag: null, milliseconds: 0 };
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Failure || error instanceof StoreUnavailable) return error.code;
  return error instanceof z.ZodError ? "invalid_body" : undefined;
}

/** The maximum number of ids that a message names. */
const NAMED_IDS = 10;

/** For a message: `wheel-1, wheel-2 and 3 others`. */
export function namedIds(ids: readonly string[]): string {
  const rest = ids.length > NAMED_IDS ? ` and ${ids.length - NAMED_IDS} others` : "";
  return `${ids.slice(0, NAMED_IDS).join(", ")}${rest}`;
}

/** A configured installation that is not in the ledger. */
export function unknownInstallation(installationId: string, known: readonly string[]): Failure {
  const named = known.length === 0 ? "it has none" : `it has ${namedIds(known)}`;
  return new Failure("unknown_installation", `the ledger has no installation ${installationId}: ${named}`, {
    hint: "It is published as offline until its first fact. Correct the setting installationId if it is not the one that you mean.",
  });
}

/** More installations than one prefix holds. Those that came last in the log are not published. */
export function tooManyInstallations(count: number, limit: number): Failure {
  const message = `the ledger has ${count} installations, and a prefix holds ${limit}: the last ${count - limit} are not published`;
  return new Failure("too_many_installations", message);
}

/** The message of an error. For a body that violates its schema: the path and the rule. */
function reasonOf(error: unknown): string {
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `invalid_body: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "breaks its schema"}`;
  }
  return errorMessage(error);
}
