import type { Database } from "better-sqlite3";
import { type Counts, Intake } from "../../src/ledger/intake/intake.ts";
import type { Rejection } from "../../src/ledger/intake/rejection.ts";

export interface Ingested extends Counts {
  /** In line order; each record of an iterable counts as one line. */
  readonly rejections: readonly Rejection[];
}

/**
 * Ingests NDJSON, or objects shaped as in docs/spec/intake.md. In strict mode one rejection discards all records.
 * Rejects instants ahead of `now` (epoch ms); without `now`, accepts any instant. Throws `Failure`: see `Intake`.
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
