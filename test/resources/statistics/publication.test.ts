import { expect, test } from "vitest";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { processPublication } from "../../../src/resources/process/publication.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { statisticsPublications } from "../../../src/resources/statistics/publication.ts";
import { ingest } from "../../ledger/ingest.ts";
import { advanceFully } from "./build-from-ledger.ts";
import { accept, emptyLedger, type Fact, INSTALLATION } from "./history.ts";

const GENESIS = BigInt(Date.parse("2024-03-10T11:00:00Z") / 1000);
const NOON = Date.parse("2024-03-10T12:00:00Z");

function sourcesOf(facts: readonly Fact[]) {
  const ledger = emptyLedger();
  accept(ledger, facts);
  const projections = openProjectionsInMemory();
  const sources = (genesisTimestamp: bigint | undefined) =>
    ({ installationId: INSTALLATION, ledger, projections, genesisTimestamp, chain: {} }) as unknown as Snapshot;
  return { ledger, projections, sources };
}

const [week, month] = statisticsPublications(30_000);
if (week === undefined || month === undefined) throw new Error("expected one publication per range");

test("a genesis that none of the newest twelve rounds fits is refused, with the genesis that fits", () => {
  const { ledger, projections, sources } = sourcesOf([]);
  const round = (id: number, closedAt: number) => ({
    type: "round",
    installationId: INSTALLATION,
    roundId: String(id),
    workUnits: "1",
    distanceMm: null,
    eligible: true,
    closedAt: new Date(closedAt).toISOString(),
  });
  const end = (id: number) => (Number(GENESIS) + (id + 1) * 600) * 1000;
  const take = (...records: Readonly<Record<string, unknown>>[]) => {
    expect(ingest(ledger, records)).toMatchObject({ accepted: records.length, rejected: 0 });
  };
  take(...Array.from({ length: 11 }, (_, id) => round(id, end(id) + 9_000)));
  const early = sources(GENESIS - 86_400n * 365n);
  advanceFully(ledger, projections, { genesis: GENESIS, at: NOON });
  // Eleven rounds contradict no genesis: a device may have been away.
  expect(() => month.build(early, NOON)).not.toThrow();
  take(round(11, end(11) + 9_000));
  const refused =
    /round 11 was closed at 2024-03-10T13:00:09\.000Z, .* it ends at 2023-03-11T13:00:00\.000Z.* 1710068400 fits/;
  expect(() => month.build(early, NOON)).toThrow(refused);
  expect(() => month.build(sources(GENESIS + 600n), NOON)).toThrow("1710068400 fits");
  expect(() => processPublication.build(early, NOON)).toThrow(refused);
  expect(() => month.build(sources(GENESIS), NOON)).not.toThrow();
  expect(() => month.build(sources(GENESIS - 86_400n), NOON)).toThrow("genesis");
  // One of twelve suffices: the others were sent late.
  take(round(12, end(12) - 86_400_000 * 365));
  expect(() => month.build(early, NOON)).not.toThrow();
});
