import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { openLedgerForIntake, openLedgerForReading } from "../../../src/ledger/open.ts";
import { sharedFolder } from "../../support/test-folder.ts";
import { ingest } from "../ingest.ts";
import {
  closure,
  contents,
  emptyLedger,
  epoch,
  instant,
  type Json,
  module,
  oracle,
  receipt,
  reporterRun,
  round,
  settlementControl,
  submission,
  uuid,
} from "../samples.ts";

/** All record types and some rejections, in an order in which most depend on earlier ones. */
function history(): string {
  const records: Json[] = [];
  for (let n = 1; n <= 300; n++) {
    records.push(receipt(n), round(n, { installationId: n % 3 === 0 ? "wheel-2" : "wheel-1" }));
    if (n % 3 === 1) records.push(closure(n, n), closure(n, n));
    if (n % 10 === 0)
      records.push(
        module({ observedAt: instant(n) }),
        oracle({ at: instant(n) }),
        settlementControl({ at: instant(n) }),
      );
    if (n % 25 === 0)
      records.push(epoch({ counterEpoch: uuid(n) }), { type: "nonsense" }, receipt(n - 1, { rpmMilli: 9 }));
    if (n % 40 === 0)
      records.push(
        submission({ submissionId: uuid(n) }),
        reporterRun({ startedAt: instant(-n), finishedAt: null, result: null }),
      );
    if (n % 60 === 0) records.push(reporterRun({ startedAt: instant(-n) }));
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

const FEEDER = new URL("./feed-and-die.ts", import.meta.url);
const input = Buffer.from(history());
const undisturbed = emptyLedger();
const directory = sharedFolder();

beforeAll(() => {
  writeFileSync(join(directory, "facts.ndjson"), input);
  ingest(undisturbed, input);
});

/** A killed process leaves the ledger of the first lines of its input, as many as it accepted. */
function expectPrefix(path: string): number {
  const db = openLedgerForReading(path);
  const left = contents(db);
  const accepted = db.prepare("SELECT coalesce(sum(value), 0) FROM watermark").pluck().get() as number;
  db.close();
  const prefix = emptyLedger();
  const intake = new Intake(prefix);
  let end = 0;
  while (intake.counts.accepted < accepted && end < input.length) {
    const next = input.indexOf("\n", end) + 1;
    intake.write(input.subarray(end, next));
    intake.flush();
    end = next;
  }
  expect(left).toEqual(contents(prefix));
  return end;
}

function expectCompleted(path: string): void {
  const db = openLedgerForIntake(path);
  ingest(db, input);
  expect(contents(db)).toEqual(contents(undisturbed));
  db.close();
}

test.each([1, 65_536, 120_001, input.length - 1])(
  "killed at byte %i: a prefix of whole batches is kept, and the same input completes it",
  async (deadAt) => {
    const path = join(directory, `at-${deadAt}.db`);
    const batch = 25_000;
    const child = fork(FEEDER, [path, join(directory, "facts.ndjson"), String(batch), String(deadAt)], {
      stdio: "inherit",
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    // A batch ends with the last whole line of each `batch` bytes.
    const whole = input.subarray(0, Math.floor(deadAt / batch) * batch).lastIndexOf("\n") + 1;
    const kept = expectPrefix(path);
    expect(ingest(emptyLedger(), input.subarray(0, whole)).accepted).toBe(
      ingest(emptyLedger(), input.subarray(0, kept)).accepted,
    );
    expectCompleted(path);
  },
);
