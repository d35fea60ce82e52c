/**
 * Runs the real publisher through hours of simulated time: a receipt every 3 s, a block every 12 s, a settled round
 * every 10 minutes. Counts its store requests by key.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hintOf } from "../../../../bin/cli/hints.ts";
import { minimumPutIntervalOf } from "../../../../bin/cli/publish/store-pace.ts";
import { feedHistory, feedLive } from "../../../../demo/feed.ts";
import { planFrom } from "../../../../demo/history/plan.ts";
import { Wheel } from "../../../../demo/history/wheel.ts";
import { type Clock, WatchedClock } from "../../../../publish/clock/clock.ts";
import { Known } from "../../../../publish/known.ts";
import { acquireNow } from "../../../../publish/lease/take.ts";
import { Publisher, type PublisherOptions } from "../../../../publish/publisher.ts";
import { LedgerSource } from "../../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../../publish/sources/source-reader.ts";
import { leaseIdentity } from "../../../../publish/status/public-status.ts";
import { openLedgerForIntake } from "../../../../src/ledger/open.ts";
import type { Signer } from "../../../../src/log/signer.ts";
import { allPublications } from "../../../../src/resources/publications.ts";
import { MemoryStore } from "../../../support/memory-store.ts";
import { SimulatedChain } from "../chain/simulated-chain.ts";
import { type Counts, countingStore } from "../stores/counting-store.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
const RECEIPT_MS = 3_000;
const POLL_MS = 4_000;
const INSTALLATION = "wheel-1";
/** Start of the simulated hours. */
const START = Date.parse("2026-11-21T11:00:00.000Z");

/** Returns the store requests after the first publish of the history. */
export async function simulate(span: {
  readonly historyHours: number;
  readonly hours: number;
  /** The keys of a public log; none: it is private. */
  readonly signers?: readonly Signer[];
}): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-day-"));
  const from = START - span.historyHours * HOUR;
  const plan = planFrom(7, INSTALLATION, from, from);
  const chain = new SimulatedChain(plan);
  const wheel = new Wheel(plan, { settlement: chain });
  const ledger = openLedgerForIntake(join(folder, "ledger.db"));
  // The ledger is temporary, so it need not survive a power failure.
  ledger.pragma("synchronous = OFF");
  feedHistory(ledger, wheel, START, () => undefined);
  let now = wheel.at;
  await chain.poll(now);
  const counts: Counts = new Map();
  const clocks = { wall: () => now, monotonic: () => now };
  const options = { ...open(folder, chain, clocks, counts), signers: span.signers ?? [] };
  const { store, clock, known, reader } = options;
  const lease = await acquireNow({ store, clock: new WatchedClock(clock), identity: leaseIdentity(), known });
  const publisher = await Publisher.begin(options, lease);
  await step(publisher, now);
  counts.clear();
  const last = now + span.hours * HOUR;
  for (let tick = now + SECOND; tick <= last; tick += SECOND) {
    for (let due = publisher.nextDue(); due !== undefined && due > now && due < tick; due = publisher.nextDue()) {
      now = due;
      await step(publisher, now);
    }
    now = tick;
    if (now - wheel.at >= RECEIPT_MS) feedLive(ledger, wheel, now);
    if (now % POLL_MS === 0) await chain.poll(now);
    await step(publisher, now);
  }
  reader.close();
  known.close();
  ledger.close();
  rmSync(folder, { recursive: true });
  return counts;
}

/** The same options as `publish` uses on object storage. */
function open(folder: string, chain: SimulatedChain, clock: Clock, counts: Counts): PublisherOptions {
  const state = join(folder, "state");
  return {
    store: countingStore(new MemoryStore(), counts),
    clock,
    known: Known.open(state),
    reader: new SourceReader({
      installationId: INSTALLATION,
      ledger: new LedgerSource(join(folder, "ledger.db")),
      projections: ownProjections(state, { whole: true }),
      chain,
      genesisTimestamp: undefined,
    }),
    publications: allPublications({ installationId: INSTALLATION, statisticsInterval: 30_000 }),
    concurrency: 16,
    newLog: undefined,
    force: false,
    program: "1.0.0",
    hintOf,
    minimumPutInterval: minimumPutIntervalOf("s3://bucket"),
    signers: [],
    scrubInterval: 0,
  };
}

/** The steps of `runSchedule`, taken at every second and at every due instant. */
async function step(publisher: Publisher, now: number): Promise<void> {
  const at = publisher.instant(now);
  if (!publisher.isIdle(at)) {
    const { rows, failures } = await publisher.cycle(at);
    const failed = rows.find(({ action }) => action === "failed");
    if (failed !== undefined) throw new Error(`${failed.key}: ${failed.why}`);
    if (failures[0] !== undefined) throw new Error(failures[0].message);
  }
  await publisher.renewIfDue(publisher.nextDue());
}
