/** The decoder thread gives the same result as inline decoding, for any division into chunks. */
import { expect, test } from "vitest";
import { feed, feedDecoded } from "../../../../bin/cli/feed.ts";
import { decodeInThread } from "../../../../src/ledger/intake/decode/decode-thread.ts";
import { Intake } from "../../../../src/ledger/intake/intake.ts";
import { type Rejection, rejectionJson } from "../../../../src/ledger/intake/rejection.ts";
import { contents, emptyLedger, type Json, receipt, round } from "../../samples.ts";

const line = (record: Json): Buffer => Buffer.from(`${JSON.stringify(record)}\n`);
const INPUT = Buffer.concat([
  ...Array.from({ length: 300 }, (_, index) => line(receipt(index + 1))),
  line(receipt(5)),
  // Found by the ledger, not by the decoder; the line is quoted all the same.
  line(receipt(5, { distanceMm: 1, sequence: 5 })),
  Buffer.from("\n\r\nno JSON at all\r\n"),
  Buffer.from([0x7b, 0xff, 0xfe, 0x0a]),
  line(receipt(301, { softwareVersion: "1.0 \u00b5 \u{1f6de}" })),
  line(receipt(302, { telemetryId: "short", rpmMilli: -1, extra: true })),
  line(round(1)),
  line(round(2, { workUnits: String(2n ** 200n) })),
  Buffer.from(`{"type":"receipt","x":"${"y".repeat(1024 * 1024)}"}\n`),
  line(receipt(303)),
  Buffer.from(JSON.stringify(receipt(304))),
]);

async function* chunksOf(bytes: number): AsyncGenerator<Uint8Array> {
  // One reused buffer for all chunks, as when a file is read.
  const buffer = Buffer.alloc(bytes);
  for (let start = 0; start < INPUT.length; start += bytes) {
    const length = INPUT.copy(buffer, 0, start, start + bytes);
    yield buffer.subarray(0, length);
  }
}

async function outcome(bytes: number, inThread: boolean, strict = false) {
  const ledger = emptyLedger();
  const rejections: string[] = [];
  const onRejected = (batch: readonly Rejection[]) => rejections.push(...batch.map((one) => rejectionJson(one)));
  const intake = new Intake(ledger, { onRejected, strict });
  const counts = inThread
    ? await feedDecoded(decodeInThread(chunksOf(bytes), { judgesFuture: false }), intake)
    : await feed(chunksOf(bytes), intake);
  return { counts, rejections, lines: intake.lines, contents: contents(ledger) };
}

test.for([7_001, 65_536, 5_000_000])("chunks of %d bytes", async (bytes) => {
  const expected = await outcome(bytes, false);
  expect(expected.counts).toEqual({ accepted: 305, duplicate: 1, rejected: 5 });
  expect(await outcome(bytes, true)).toEqual(expected);
});

test("a strict run stops at the first rejection, and the thread ends", async () => {
  const { counts, rejections, contents: kept } = await outcome(65_536, true, true);
  expect(counts).toEqual({ accepted: 0, duplicate: 0, rejected: 1 });
  expect(rejections).toHaveLength(1);
  expect(kept).toEqual(contents(emptyLedger()));
});

test("an unreadable input ends the ingest with its failure", async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield INPUT.subarray(0, 1000);
    throw new Error("the disk is gone");
  }
  const intake = new Intake(emptyLedger());
  const pieces = decodeInThread(failing(), { judgesFuture: false });
  await expect(feedDecoded(pieces, intake)).rejects.toThrow("the disk is gone");
  expect(intake.counts.accepted).toBe(0);
});

test("instants ahead of the clock are rejected if the clock is checked", async () => {
  const ahead = line(receipt(1, { receivedAt: "9000-01-01T00:00:00.000Z" }));
  for (const judgesFuture of [true, false]) {
    const intake = new Intake(emptyLedger());
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield ahead;
    }
    const { rejected } = await feedDecoded(decodeInThread(chunks(), { judgesFuture }), intake);
    expect(rejected).toBe(judgesFuture ? 1 : 0);
  }
});
