/** Facts are published in the order of acceptance. A ledger with the same facts in another order changes nothing. */
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { closure, instant, type Json, module, receipt, round } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

/** The device does not move, so that no counter shows the order of its receipts. */
const idle = (n: number, changes: Json = {}) =>
  receipt(n, { cumulativeWorkUnits: "10", distanceMm: 1_000, rpmMilli: 0, speedMmPerSecond: 0, ...changes });
const idles = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => idle(from + index));
const other = (n: number) => receipt(n, { installationId: "wheel-2" });
const named = (instanceId: string) => module({ instanceId });

const OBSERVATIONS = "/v1/public/installations/wheel-1/observations?limit=100";
const ids = (records: readonly Json[]) => records.map(({ telemetryId }) => telemetryId);

/** Everything that is computed from facts alone, with the log. */
const OF_FACTS = ["private/log/", "v1/public/installations/~", "v1/public/modules", "v1/public/telemetry", "v2/"];

async function tags(scene: Scene): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const prefix of OF_FACTS) for (const key of await scene.keys(prefix)) found[key] = (await scene.object(key)).tag;
  return found;
}

/** All positions of the observations, page after page. */
async function observed(scene: Scene): Promise<readonly unknown[]> {
  const found: Json[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await scene.read(`${OBSERVATIONS}${cursor === "" ? "" : `&cursor=${cursor}`}`, 11_000);
    found.push(...body.items);
    cursor = body.nextCursor;
  }
  return ids(found);
}

function deleteLedger(scene: Scene): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(scene.file(`ledger.db${suffix}`), { force: true });
}

/** Moves the entry at index `from` to index `to`. */
function moved(facts: readonly Json[], from: number, to: number): Json[] {
  const rest = facts.toSpliced(from, 1);
  return rest.toSpliced(to, 0, ...facts.slice(from, from + 1));
}

/** Exchanges the entries at both indexes. */
function exchanged(facts: readonly Json[], one: number, two: number): Json[] {
  const [first = {}, second = {}] = [facts[one], facts[two]];
  return facts.with(one, second).with(two, first);
}

const RECEIPTS = 200;
/** After the receipts: two of another installation, then two of each other kind. */
const OTHERS = RECEIPTS;
const MODULES = OTHERS + 2;
const ROUNDS = MODULES + 2;
const CLOSURES = ROUNDS + 2;
const FACTS = [
  ...idles(1, RECEIPTS),
  other(1),
  other(2),
  named("encoder-0"),
  named("encoder-1"),
  round(0),
  round(1),
  closure(0, 0, { acceptedAt: instant(600) }),
  closure(1, 1, { acceptedAt: instant(600) }),
];

const ORDERS: readonly (readonly [name: string, facts: readonly Json[]])[] = [
  ["receipts 5 and 6 exchanged", exchanged(FACTS, 4, 5)],
  ["receipts 128 and 129 exchanged, which are in two tiles", exchanged(FACTS, 127, 128)],
  ["the first receipt after the second and the third", moved(FACTS, 0, 2)],
  ["another installation's receipt before a receipt", moved(FACTS, OTHERS, OTHERS - 1)],
  ["a module before a receipt", moved(FACTS, MODULES, 100)],
  ["two modules exchanged", exchanged(FACTS, MODULES, MODULES + 1)],
  ["two rounds exchanged", exchanged(FACTS, ROUNDS, ROUNDS + 1)],
  ["two closures exchanged", exchanged(FACTS, CLOSURES, CLOSURES + 1)],
  ["a closure before another round", moved(FACTS, CLOSURES, ROUNDS + 1)],
];

it("a ledger that is filled again in another order is refused, and nothing is put", async () => {
  await using scene = new Scene();
  await scene.ingest(FACTS);
  await scene.published(10_800);
  const before = await tags(scene);
  for (const [name, facts] of ORDERS) {
    deleteLedger(scene);
    await scene.ingest([...facts, idle(RECEIPTS + 1)]);
    for (const mode of [[], ["--state", "lost"]]) {
      const { exitCode, stderr } = await scene.publish(10_900, ...mode);
      expect([name, mode, exitCode, stderr]).toEqual([
        name,
        mode,
        1,
        expect.stringContaining(
          `noonmark: ledger_forked: the log was published with ${FACTS.length} entries, and the ledger has other facts among these`,
        ),
      ]);
    }
    expect([name, await tags(scene)]).toEqual([name, before]);
  }
  expect(await observed(scene)).toEqual(ids(idles(1, RECEIPTS)));
  // The right order continues, in any batches.
  deleteLedger(scene);
  await scene.ingest(FACTS.slice(0, 130));
  await scene.ingest([...FACTS.slice(130), idle(RECEIPTS + 1)]);
  await scene.published(11_000);
  expect(await observed(scene)).toEqual(ids(idles(1, RECEIPTS + 1)));
});

it("facts that were accepted and not published may come again in another order", async () => {
  await using scene = new Scene();
  await scene.ingest(idles(1, 126));
  await scene.published(10_800);
  scene.copyLedger("ledger.db", "backup.db");
  await scene.ingest([...idles(127, 130), named("encoder-0"), other(1)]);
  scene.copyLedger("backup.db", "ledger.db");
  const again = [idle(129), other(1), idle(127), idle(130), named("encoder-0"), idle(128)];
  await scene.ingest(again);
  await scene.published(10_900);
  expect(await observed(scene)).toEqual(ids([...idles(1, 126), idle(129), idle(127), idle(130), idle(128)]));
});
