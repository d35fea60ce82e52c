/** A publisher rests while nothing changes, whatever is due and cannot be planned (docs/spec/publishing.md#the-cycle). */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readHead } from "../../publish/head/head.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { Bucket } from "./model/bucket.ts";
import { INSTALLATION, receive, START, type Worker, World } from "./world.ts";

const MINUTE = 60_000;

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** The seconds at which a publisher on a cadence has run a cycle. */
async function cycleTimes({ publisher }: Worker, from: number, to: number): Promise<number[]> {
  const times: number[] = [];
  for (world.now = from; world.now < to; world.now += 1_000) {
    await publisher.renewIfDue();
    const at = publisher.instant(world.now);
    await publisher.scrubIfDue(at);
    if (publisher.isIdle(at)) continue;
    times.push((at - START) / 1_000);
    try {
      await publisher.cycle(at);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      continue;
    }
    expect(publisher.nextDue() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(at);
  }
  return times;
}

test("the head says how the sources are, although facts arrive so often that no renewal is due", async () => {
  const worker = await world.work();
  for (const at of [3_000, 6_000, 9_000]) {
    world.receive(1);
    world.now = START + at;
    await worker.publisher.renewIfDue();
    await worker.cycle(world.now);
  }
  const { sources, problems } = (await readHead(world.store))?.head ?? {};
  expect(sources?.ledger.status).toBe("followed");
  expect(problems).toEqual([]);
});

test.each(["tile", "index", "response"])(
  "after the put of a %s had no response, cycles end with the doubt about it",
  async (what) => {
    const keys = { tile: observationTileKey(INSTALLATION, 0), index: INSTALLATIONS_KEY, response: TELEMETRY_KEY };
    const key = keys[what as keyof typeof keys];
    const bucket = new Bucket(world.store);
    let answers = 0;
    bucket.fate = (one) => (one === key && answers++ === 0 ? "unanswered" : "done");
    world.receive(128);
    const worker = await world.work({ store: bucket });
    const times = await cycleTimes(worker, START + 600_000, START + 600_000 + 10 * MINUTE);
    expect(times.filter((time) => time > 600 + 91)).toEqual([]);
    expect(times.length).toBeLessThan(9);
  },
);

test.each([
  { ledger: "is refused", own: 10, other: 10 },
  { ledger: "has lost it", own: 20, other: 0 },
])(
  "an installation turns stale while the ledger $ledger: the publisher looks again every half a minute",
  async (of) => {
    world.receive(20);
    world.receive(20, 2, "wheel-2");
    const first = await world.work();
    await first.cycle(START + 61_000);
    await first.stop();
    const ledgerPath = join(world.folder, "other.db");
    const ledger = openLedgerForIntake(ledgerPath);
    receive(ledger, of.own, { rowId: 1, id: INSTALLATION });
    if (of.other > 0) receive(ledger, of.other, { rowId: 2, id: "wheel-2" });
    ledger.close();
    const worker = await world.work({ ledgerPath });
    const times = await cycleTimes(worker, START + MINUTE, START + 11 * MINUTE);
    expect(times.length).toBeLessThan(30);
    // Readers get its successor in time.
    expect(await world.body("/v1/public/installations/wheel-2/telemetry")).toContain('"stale"');
  },
);
