/** The library's way into the ledger: what `noonmark ingest` does, without a terminal. */
import type { Database } from "better-sqlite3";
import { type Counts, Intake } from "./intake/intake.ts";
import type { Rejection } from "./intake/rejection.ts";

export type { Counts } from "./intake/intake.ts";
export type { Rejection } from "./intake/rejection.ts";

export interface Ingested extends Counts {
  /** In the order of their lines; a line is a record here. */
  readonly rejections: readonly Rejection[];
}

/**
 * Takes records into the ledger: objects shaped as docs/spec/intake.md shows them, each what a line of NDJSON holds, or
 * NDJSON itself. Strict keeps nothing once one is rejected; `now` (epoch ms) is the clock that instants must not be ahead
 * of, and without one none is. Throws `Failure`: see `Intake`.
 */
export function ingest(
  db: Database,
  input: string | Uint8Array | Iterable<Readonly<Record<string, unknown>>>,
  options: { readonly strict?: boolean; readonly now?: () => number } = {},
): Ingested {
  const rejections: Rejection[] = [];
  const intake = new Intake(db, { ...options, onRejected: (batch) => rejections.push(...batch) });
  try {
    if (typeof input === "string" || input instanceof Uint8Array) {
      intake.write(typeof input === "string" ? Buffer.from(input) : input);
    } else {
      for (const record of input) intake.write(Buffer.from(`${JSON.stringify(record)}\n`));
    }
    return { ...intake.end(), rejections };
  } catch (error) {
    intake.abort();
    throw error;
  }
}
