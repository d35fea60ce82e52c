import { expect, onTestFinished, test, vi } from "vitest";
import { reportRejections } from "../../bin/cli/intake/intake-log.ts";
import { rejectionJson, rejectionSentences } from "../../src/ledger/intake/rejection.ts";
import { rejectedLines } from "../../src/sources/rejects-file.ts";
import { ingest } from "../ledger/ingest.ts";
import { closure, emptyLedger, oracle, round } from "../ledger/samples.ts";

test("a rejects file can be ingested unchanged once the missing records exist", async () => {
  const ledger = emptyLedger();
  const early = ingest(ledger, [closure(1, 2), round(1)]);
  expect(early).toMatchObject({ accepted: 1, rejected: 1 });
  ingest(ledger, [round(2)]);
  const file = early.rejections.map((rejection) => `${rejectionJson(rejection)}\n`).join("");
  expect(ingest(ledger, await again(file, 7))).toMatchObject({ accepted: 1, rejected: 0 });
});

test("a fact ahead of the clock is reported with the flag that takes it", () => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const now = () => Date.parse("2026-11-20T10:00:00Z");
  const { rejections } = ingest(emptyLedger(), [oracle({ at: "2026-11-20T11:00:00Z" })], { now });
  reportRejections(rejections, undefined);
  expect(write).toHaveBeenCalledWith(
    "line 1: in_future at: at 2026-11-20T11:00:00.000Z is more than a minute ahead of this clock, 2026-11-20T10:00:00.000Z; --allow-future accepts it anyway\n",
  );
});

test("a line with invalid UTF-8 is rejected again, and a line that is not a rejected line stops the run", async () => {
  const ledger = emptyLedger();
  const bytes = Buffer.from(
    JSON.stringify({ type: "oracle", installationId: "w", blockedReason: "x", at: "2026-11-20T10:00:00Z" }),
  );
  bytes[bytes.indexOf('"x"') + 1] = 0xff;
  const { rejections } = ingest(ledger, bytes);
  const file = rejections.map((rejection) => rejectionJson(rejection)).join("\n");
  expect(file).toContain("\ufffd");
  expect(ingest(ledger, await again(file, 1000)).rejections[0]?.fault.code).toBe("malformed_json");
  for (const line of ['{"type":"round"}', "no JSON", "null", "[1]"]) {
    await expect(again(`${line}\n`, 5)).rejects.toMatchObject({ code: "file_unreadable" });
  }
});

test("all faults of a line are reported together, up to a limit, with the decisive one first", () => {
  const [rejection] = ingest(emptyLedger(), [
    round("01", { workUnits: "x", eligible: 1, closedAt: "now", extra: 1 }),
  ]).rejections;
  if (rejection === undefined) throw new Error("nothing was rejected");
  expect(JSON.parse(rejectionJson(rejection))).toMatchObject({ line: 1, code: "unknown_field", field: "extra" });
  expect(rejectionSentences(rejection).map((line) => line.split(":").slice(0, 2).join(":"))).toEqual([
    "line 1: unknown_field extra",
    "line 1: invalid_field roundId",
    "line 1: invalid_field workUnits",
    "line 1: invalid_field eligible",
    "line 1: invalid_field closedAt",
  ]);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`extra${n}`, n]));
  const [crowded] = ingest(emptyLedger(), [round(1, many)]).rejections;
  if (crowded === undefined) throw new Error("nothing was rejected");
  expect(rejectionSentences(crowded)).toHaveLength(33);
  expect(rejectionSentences(crowded).at(-1)).toBe("line 1: … and 968 more of its fields");
});

/** The lines that a retry of the file yields, read in chunks of the given size. */
async function again(file: string, size: number): Promise<Uint8Array> {
  const bytes = Buffer.from(file);
  async function* chunks() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }
  const lines: Uint8Array[] = [];
  for await (const line of rejectedLines(chunks(), "rejects.ndjson")) lines.push(line);
  return Buffer.concat(lines);
}
