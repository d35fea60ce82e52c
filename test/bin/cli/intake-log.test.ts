import { pino } from "pino";
import { expect, test } from "vitest";
import { IntakeLog } from "../../../bin/cli/intake/intake-log.ts";
import { ingest } from "../../ledger/ingest.ts";
import { emptyLedger } from "../../ledger/samples.ts";

function logged() {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = new IntakeLog(pino({ base: null, timestamp: false }, stream), () => now);
  return { log, lines, at: (ms: number) => (now = ms) };
}

test("twenty thousand rejected lines in a second are one line, and the next one counts them", () => {
  const { log, lines, at } = logged();
  const [rejection] = ingest(emptyLedger(), "nonsense\n").rejections;
  if (rejection === undefined) throw new Error("nothing was rejected");
  for (let n = 0; n < 20_000; n++) log.rejected([rejection], { file: "a.ndjson" });
  expect(lines).toMatchObject([{ code: "malformed_json", file: "a.ndjson", rejected: 1 }]);
  at(1_000);
  log.rejected([rejection], { file: "a.ndjson" });
  expect(lines.slice(1)).toMatchObject([{ rejected: 20_000 }]);
});

test("changed counts are a line a minute, and an outage has a beginning and an end", () => {
  const { log, lines, at } = logged();
  const counts = { accepted: 2, duplicate: 1, rejected: 0 };
  log.counts(counts);
  for (const ms of [59_999, 60_000, 120_000, 130_000]) {
    at(ms);
    log.counts(counts);
  }
  expect(lines).toMatchObject([{ accepted: 2, duplicate: 1, rejected: 0 }]);
  const disk = log.fullDisk();
  disk.failed(new Error("full"));
  disk.failed(new Error("full"));
  at(131_000);
  disk.succeeded();
  expect(lines.slice(1)).toMatchObject([
    { code: "disk_full", msg: "full; ingest waits" },
    { msg: "the disk has space again", afterMs: 1_000 },
  ]);
});
