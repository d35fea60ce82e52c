import type { Database } from "better-sqlite3";
import { Intake } from "../../src/ledger/intake/intake.ts";
import type { IntakeOf } from "../../src/sources/followed.ts";

/** Follows files into one in-memory ledger. `reported` receives `name:line code` for each rejection. */
export function intakesInto(db: Database, told: string[]): IntakeOf {
  return ({ name }) => {
    const intake = new Intake(db, {
      onRejected: (rejections) =>
        told.push(...rejections.map(({ line, fault }) => `${name ?? "-"}:${line} ${fault.code}`)),
    });
    return { intake, hasOwnRejects: false, close: () => intake.abort() };
  };
}

/** The sequences of the receipts, by position. */
export function sequences(db: Database): unknown[] {
  return db.prepare("SELECT sequence FROM receipt ORDER BY position").pluck().all();
}
