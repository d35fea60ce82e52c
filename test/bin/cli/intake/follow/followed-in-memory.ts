import type { Database } from "better-sqlite3";
import type { IntakeOf } from "../../../../../bin/cli/intake/follow/followed.ts";
import { Intake } from "../../../../../src/ledger/intake/intake.ts";

/** Intakes into one ledger; `reported` gets `name:line code` of each rejection. */
export function intakesInto(db: Database, told: string[]): IntakeOf {
  return ({ name }) => {
    const intake = new Intake(db, {
      onRejected: (rejections) =>
        told.push(...rejections.map(({ line, fault }) => `${name ?? "-"}:${line} ${fault.code}`)),
    });
    return { intake, close: () => intake.abort() };
  };
}

/** Sequences of the receipts in the order of their positions. */
export function sequences(db: Database): unknown[] {
  return db.prepare("SELECT sequence FROM receipt ORDER BY position").pluck().all();
}
