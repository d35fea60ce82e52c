import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { FIRST_BATCH_BYTES, Intake } from "../../../src/ledger/intake/intake.ts";
import { openLedgerForIntake, openLedgerForReading } from "../../../src/ledger/open.ts";
import { runCli, startCli } from "../../support/cli.ts";
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

test("the command, killed twice within its input and run again, gives the ledger of an undisturbed run", async () => {
  const path = join(directory, "command.db");
  // Otherwise a process that is killed early leaves no ledger to compare.
  await runCli(["ingest", "-", "--ledger", path], directory, input.subarray(0, input.indexOf("\n") + 1));
  // With longer lines the second kill comes after the first batch.
  const long = Buffer.from(input.toString().replaceAll("\n", `${" ".repeat(2000)}\n`));
  const kept: number[] = [];
  for (const part of [0.3, 0.8]) {
    const child = startCli(["ingest", "-", "--ledger", path], directory);
    child.stdin?.on("error", () => undefined);
    const exit = once(child, "exit");
    for (let start = 0; start < long.length * part; start += 30_000) {
      await new Promise((resolve) => child.stdin?.write(long.subarray(start, start + 30_000), resolve));
    }
    child.kill("SIGKILL");
    await exit;
    kept.push(expectPrefix(path));
  }
  expect(long.length * 0.8).toBeGreaterThan(1.2 * FIRST_BATCH_BYTES);
  expect(kept[1]).toBeGreaterThan(kept[0] ?? 0);
  expect(kept[1]).toBeLessThan(input.length);
  const last = await runCli(["ingest", "facts.ndjson", "--ledger", path], directory);
  expect(last.exitCode).toBe(1);
  const db = openLedgerForReading(path);
  expect(contents(db)).toEqual(contents(undisturbed));
  db.close();
});
