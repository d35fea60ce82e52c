/** The golden bodies: one per Oracle branch, for both ranges, and the response during a rebuild. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { rebuiltBody } from "./build-from-ledger.ts";
import { accept, emptyLedger, type Fact, type HistorySubmission, INSTALLATION } from "./history.ts";
import { referenceBody } from "./reference.ts";

const GENESIS = BigInt(Date.parse("2026-10-20T12:00:00Z") / 1000);
const AT = Date.parse("2026-11-20T10:05:00.000Z");
const DAY = 86_400_000;

test.for<[name: string, range: "7d" | "30d", facts: readonly Fact[]]>([
  ["oracle-available-30d", "30d", [...history(), ...submissions(0)]],
  ["oracle-insufficient-history-7d", "7d", [...history(), submission("late", AT - DAY, "preparing")]],
  ["oracle-not-initialized-7d", "7d", history()],
  ["rebuilding", "30d", []],
])("the statistics body %s equals its golden body", async ([name, range, facts]) => {
  const ledger = emptyLedger();
  accept(ledger, facts);
  const { status, headers, body } = rebuiltBody(ledger, { genesis: GENESIS, range, at: AT });
  const expected = referenceBody(facts, { installationId: INSTALLATION, genesis: GENESIS, range, at: AT });
  if (status === 200) expect(body).toBe(expected);
  const response = `${JSON.stringify({ status, headers, body: JSON.parse(body) })}\n`;
  await expect(response).toMatchFileSnapshot(join(import.meta.dirname, "golden", `${name}.json`));
});

/** Thirty days with an idle night, a gap, a day without known distance, and newest rounds that are not yet accepted. */
function history(): Fact[] {
  const facts: Fact[] = [];
  const rounds = Math.floor((AT / 1000 - Number(GENESIS)) / 600) - 4;
  for (let round = 0; round < rounds; round += 8) {
    if (round >= 1200 && round < 1260) continue;
    for (let roundId = round; roundId < round + 8; roundId += 1) {
      const day = Math.floor(roundId / 144);
      const workUnits = roundId % 144 > 50 && roundId % 144 < 100 ? 0n : BigInt(((roundId * 7919) % 613) + day);
      const distanceMm = day === 12 ? null : workUnits * 9n;
      facts.push({ type: "round", roundId: BigInt(roundId), workUnits, distanceMm });
    }
    facts.push({ type: "closure", firstRound: BigInt(round), lastRound: BigInt(round + 7) });
  }
  for (const [rpmMilli, daysAgo] of [[41_000, 20] as const, [43_500, 3] as const, [43_500, 2] as const]) {
    facts.push({ type: "receipt", counterEpoch: 1, observedAt: AT - daysAgo * DAY, rpmMilli, speedMmPerSecond: 612 });
  }
  return facts;
}

function submissions(from: number): HistorySubmission[] {
  const lifecycles = ["confirmed", "reverted", "confirmed", "superseded", "retrying", "submitted"] as const;
  return Array.from({ length: 42 }, (_, index) =>
    submission(`submission-${from + index}`, AT - (41 - index) * DAY, lifecycles[index % 6] ?? "preparing", index),
  );
}

function submission(
  submissionId: string,
  preparedAt: number,
  lifecycle: HistorySubmission["lifecycle"],
  index = 0,
): HistorySubmission {
  const submittedAt = lifecycle === "preparing" ? null : preparedAt + 1000 + index * 10;
  return {
    type: "submission",
    submissionId,
    lifecycle,
    cumulativeWork: BigInt(index * 4000),
    blockHeight: BigInt(index * 4),
    completedBlockCount: BigInt(index % 5),
    preparedAt,
    submittedAt,
    confirmedAt: lifecycle === "confirmed" && submittedAt !== null ? submittedAt + 180_000 + index : null,
  };
}
