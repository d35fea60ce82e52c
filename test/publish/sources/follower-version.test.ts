/**
 * A program upgrade may change how a follower derives its rows. The follower then rebuilds in short steps over several
 * cycles. Readers get the last good responses until it is done.
 */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ownProjections, type ProjectionsSource } from "../../../publish/sources/projections-source.ts";
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { openProjections } from "../../../src/projections/open.ts";
import { CATEGORIES } from "../../../src/resources/activity/route.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { ingest } from "../../ledger/ingest.ts";
import { closure, HASH, instant, type Json, receipt, round, submission, uuid } from "../../ledger/samples.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { sharedFolder } from "../../support/test-folder.ts";
import { KINDS, unitMinted } from "../activity/chain-logs.ts";
import type { FeedBody } from "../activity/feed-world.ts";
import { GrownChain, settledBlock } from "../activity/grown-chain.ts";
import { START, World } from "../world.ts";

const HOUR = 3_600_000;
const ROUND_MS = 600_000;
/** The chain's genesis, in epoch ms. */
const GENESIS = 1_763_400_000_000;
/** Longer than the minimum time between two puts of the statistics. */
const CYCLE_MS = 40_000;
const MILESTONE_DAYS = 170;
/** More than one step rebuilds. */
const RECEIPTS = 32_000;
const ROUNDS = 2_200;

const folder = sharedFolder();
const manyReceipts = join(folder, "many-receipts.db");
const manyRounds = join(folder, "many-rounds.db");
beforeAll(() => {
  fill(manyReceipts, [...milestones(), ...receipts(RECEIPTS), ...rounds(), confirmed()]);
  fill(manyRounds, [...milestones(), ...receipts(1_000), ...rounds(), confirmed()]);
});

function fill(path: string, facts: Json[]): void {
  const ledger = openLedgerForIntake(path);
  const { rejections } = ingest(ledger, facts);
  ledger.close();
  expect(rejections).toEqual([]);
}

let world: World;
let chain: GrownChain;
beforeEach(() => {
  world = new World();
  chain = new GrownChain();
  chain.mine((blockNumber) => [...settledBlock(blockNumber, START - 30 * HOUR), ...activity(blockNumber)]);
  chain.pass(START);
});
afterEach(() => {
  chain.db.close();
  world.end();
});

// A cycle's steps are limited along the ledger, but not along the chain.
test.for([
  [
    "receipts",
    // The tiles are put again in several steps.
    "one cycle",
    `${setTotal("peaks", "rpmMilli.value", 7)}; ${setTotal("milestones", "lifetimeMm.n", "'1'")}`,
  ],
  ["rounds", "several cycles", `UPDATE day_rounds SET work = '1'; ${setTotal("rounds", "observed", 1)}`],
  ["submissions", "one cycle", `${setTotal("submissions", "confirmed", 0)}; DELETE FROM submission_state`],
  [
    "settlements",
    "one cycle",
    "UPDATE settlement SET total_active_rounds = '1', batches = 1; DELETE FROM round_funding",
  ],
  ["activity", "one cycle", "DELETE FROM activity_event WHERE category = 'players'"],
] as const)(
  "the %s of an older version are rebuilt in %s, and readers keep the last good responses until then",
  async ([follower, cycles, derivedOtherwise]) => {
    const ledgerPath = follower === "receipts" ? manyReceipts : manyRounds;
    const first = await world.work({ chain, ledgerPath });
    await first.cycle(START);
    await first.stop();
    const before = content(await responses());
    derivedByAnOlderVersion(follower, derivedOtherwise);

    const projections = inShortCycles();
    const upgraded = await world.work({ chain, ledgerPath, projections, program: "2.0.0" });
    let taken = 0;
    do {
      const cycle = { isOver: false };
      const done = upgraded.cycle(START + ++taken * CYCLE_MS).finally(() => (cycle.isOver = true));
      const read = async (): Promise<void> => {
        while (!cycle.isOver) {
          expect(content(await responses())).toEqual(before);
          for (let turn = 0; turn < 20 && !cycle.isOver; turn++) await nextTurn();
        }
      };
      // A cycle must not outlive its files, so a failed read is thrown after the cycle.
      const failed = (await Promise.allSettled([done, read()])).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      expect(content(await responses())).toEqual(before);
    } while (projections.isBehind);
    expect(taken === 1 ? "one cycle" : "several cycles").toBe(cycles);

    const later = START + ROUND_MS;
    chain.pass(later);
    await upgraded.cycle(later);
    const store = new MemoryStore();
    const fresh = await world.work({ chain, ledgerPath, store, state: "fresh", program: "2.0.0" });
    await fresh.cycle(later);
    expect(await responses()).toEqual(await responses(store));
    for (const worker of [upgraded, fresh]) await worker.stop();
  },
);

/** SQL that changes one field of a follower's totals. */
function setTotal(name: string, field: string, value: number | string): string {
  return `UPDATE totals SET value = json_set(value, '$.${field}', ${value}) WHERE name = '${name}'`;
}

const PATHS = ["/v2/public/stats?range=7d", "/v2/public/stats?range=30d", "/v4/public/settlements?range=30d"];

/** The bodies that readers get of everything derived from ledger and chain; activity page by page. */
async function responses(store = world.store): Promise<string[]> {
  const context = shimContext({ store, now: () => world.now, monotonic: () => world.now });
  const read = async (path: string) => {
    const { status, body } = await respond({ method: "GET", url: path }, context);
    expect([path, status]).toEqual([path, 200]);
    return new TextDecoder().decode(body);
  };
  const bodies = await Promise.all(PATHS.map(read));
  for (const category of CATEGORIES) {
    let cursor: string | null = "";
    while (cursor !== null) {
      const from: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await read(`/v1/public/activity?category=${category}&limit=100${from}`);
      bodies.push(page);
      cursor = (JSON.parse(page) as FeedBody).nextCursor;
    }
  }
  return bodies;
}

/** The bodies without their build time. Nothing else may differ during a rebuild. */
function content(bodies: readonly string[]): string[] {
  return bodies.map((body) => body.replace(/"revision":"[^"]*",|"(?:generatedAt|endAt)":"[^"]*",/g, ""));
}

/** Leaves the projections as an older program would, whose follower derives other rows. */
function derivedByAnOlderVersion(follower: string, otherwise: string): void {
  const db = openProjections(join(world.folder, "state", "projections.db"));
  db.exec(otherwise);
  const { changes } = db.prepare("UPDATE cursor SET version = 'older ' || version WHERE name = ?").run(follower);
  expect(changes).toBe(1);
  db.close();
}

/** A publisher's projections with the minimum steps along the ledger per cycle. */
function inShortCycles(): ProjectionsSource {
  return Object.assign(ownProjections(join(world.folder, "state"), { whole: false }), { stepLimit: 1 });
}

/** Each receipt has a new counter epoch and a new day, so that it reaches several milestones. */
function milestones(): Json[] {
  return Array.from({ length: MILESTONE_DAYS }, (_, n) =>
    receipt(n + 1, {
      counterEpoch: uuid(1000 + n),
      distanceMm: 30_000_000,
      observedAt: instant((n - 400) * 86_400),
      receivedAt: instant((n - 400) * 86_400 + 1),
    }),
  );
}

/** One every 3 s before START. */
function receipts(count: number): Json[] {
  return Array.from({ length: count }, (_, n) => {
    const seconds = 3 * (n - count);
    return receipt(MILESTONE_DAYS + n + 1, { observedAt: instant(seconds), receivedAt: instant(seconds + 0.25) });
  });
}

/** The newest rounds before START, and closures of sixteen rounds each. */
function rounds(): Json[] {
  const end = (START - GENESIS) / ROUND_MS;
  return Array.from({ length: ROUNDS }, (_, n) => {
    const roundId = end - ROUNDS + n;
    const one = round(roundId, { workUnits: String(n % 50), distanceMm: String((n % 50) * 300) });
    return n % 16 === 15 || n === ROUNDS - 1 ? [one, closure(roundId - (n % 16), roundId)] : [one];
  }).flat();
}

function confirmed(): Json {
  const at = { submittedAt: instant(-3599), confirmedAt: instant(-3590), terminalAt: instant(-3590) };
  return submission({ lifecycle: "confirmed", transactionHash: HASH, preparedAt: instant(-3600), ...at });
}

function activity(blockNumber: bigint): ChainEvent[] {
  return Array.from({ length: 300 }, (_, n) => {
    const make = KINDS[n % KINDS.length] ?? unitMinted;
    return make({ blockNumber, logIndex: 5 + n });
  });
}
