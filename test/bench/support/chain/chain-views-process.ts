/** Runs the chain views over histories of two lengths in alternation; see test/bench/chain/chain-views.bench.ts. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { firstPublishDone, keepHeapSmall } from "../../../../bin/cli/small-heap.ts";
import { Due } from "../../../../publish/due.ts";
import { Known } from "../../../../publish/known.ts";
import { learn } from "../../../../publish/learn.ts";
import { currentSources } from "../../../../publish/plan/check.ts";
import { planResponses } from "../../../../publish/plan/responses.ts";
import { confirmTiles } from "../../../../publish/plan/tile-sets.ts";
import { executePuts } from "../../../../publish/put.ts";
import { ownProjections, type ProjectionsSource } from "../../../../publish/sources/projections-source.ts";
import type { ObjectStore } from "../../../../src/object-store/object-store.ts";
import { openProjections, PROJECTIONS_FILE } from "../../../../src/projections/open.ts";
import { activityPublications } from "../../../../src/resources/activity/publication.ts";
import { onchainPublications } from "../../../../src/resources/onchain/publication.ts";
import { settlementsPublications } from "../../../../src/resources/settlements/publication.ts";
import { legacySettlementsPublications } from "../../../../src/resources/settlements-legacy/publication.ts";
import type { WritableSnapshot } from "../../../../src/resources/snapshot.ts";
import { blockingText, watchLoop } from "../loop-watch.ts";
import { median, quantile } from "../quantile.ts";
import { forgetfulStore } from "../stores/forgetful-store.ts";
import { SettledChain } from "./settled-chain.ts";

const BATCHES = [500, 40_000];
const ITERATIONS = 300;
/** Iterations that are not counted, while code is still being compiled. */
const WARM_UP = 50;
const INSTALLATION = "wheel-1";
const PUBLICATIONS = [
  ...onchainPublications,
  ...settlementsPublications,
  ...legacySettlementsPublications,
  ...activityPublications,
];

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    const subjects = BATCHES.map((batches) => openSubject(join(folder, String(batches)), batches));
    for (const subject of subjects) await projectHistory(subject);
    for (const subject of subjects) await measureSettlement(subject);
    firstPublishDone();
    // Alternate the histories so that both see the same machine load.
    for (let n = 0; n < WARM_UP + ITERATIONS; n++) {
      if (n === WARM_UP) for (const { times } of subjects) times.clear();
      for (const subject of subjects) await measureSettlement(subject);
    }
    for (const { batches, times } of subjects) {
      const total = times.get("total") ?? [];
      const parts = [...times].filter(([name]) => name !== "total");
      console.log(
        `${batches} batches: ${median(total).toFixed(2)} ms (p90 ${quantile(total, 0.9).toFixed(2)}; limit 20); ` +
          parts.map(([name, values]) => `${name} ${median(values).toFixed(2)}`).join(", "),
      );
    }
    const [small, large] = subjects.map(({ times }) => median(times.get("total") ?? [])) as [number, number];
    console.log(`40,000 batches against 500: ${(large / small).toFixed(2)} ×`);
    for (const { chain, projections } of subjects) {
      chain.db.close();
      projections.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Subject {
  readonly batches: number;
  readonly chain: SettledChain;
  readonly projections: ProjectionsSource;
  readonly known: Known;
  readonly due: Due;
  readonly store: ObjectStore;
  /** Milliseconds of each iteration, in total and by part. */
  readonly times: Map<string, number[]>;
}

function openSubject(folder: string, batches: number): Subject {
  mkdirSync(folder);
  const empty = openProjections(join(folder, PROJECTIONS_FILE));
  empty.close();
  const known = Known.inMemory();
  return {
    batches,
    chain: new SettledChain(join(folder, "chain.db"), batches),
    projections: ownProjections(folder, { whole: true }),
    known,
    due: new Due(0),
    store: forgetfulStore(),
    times: new Map(),
  };
}

/** Projects the full history, as after a first sync, at a standby or after state loss. */
async function projectHistory({ batches, chain, projections: source }: Subject): Promise<void> {
  const snapshot = snapshotOf(chain, source);
  let steps = 1;
  const times = await watchLoop(async () => {
    for (; !source.chainStep(snapshot); steps++) await nextTick();
  });
  const seconds = (times.milliseconds / 1000).toFixed(1);
  console.log(
    `${batches} batches projected: ${steps} steps, ${seconds} s (${times.cpuMs.toFixed(0)} ms of CPU); ${blockingText(times)}`,
  );
}

const SUBJECT = { id: INSTALLATION, publications: PUBLICATIONS, isUnlisted: false, published: [] };
const LOG = { number: 1, now: undefined, published: undefined };

/** Measures one more settlement. Its puts are executed but not timed. */
async function measureSettlement({ chain, projections: source, known, due, store, times }: Subject): Promise<void> {
  chain.settle();
  const { at } = chain;
  const snapshot = snapshotOf(chain, source);
  const planning = { known, due, signers: [], force: false, at, program: "bench" };
  const now = currentSources(snapshot, INSTALLATION, LOG, planning);
  const plan = () => planResponses({ snapshot, log: LOG, now, subject: SUBJECT, refused: {} }, planning);
  const sources = { snapshot: <T>(use: (snapshot: WritableSnapshot) => T) => use(snapshot) };
  const target = {
    sources,
    at: 0,
    store,
    known,
    concurrency: 1,
    fence: { epoch: 1, writer: "bench", beforePut: async () => {}, raiseAbove: async () => {} },
  };
  const lookups = () => plan().lookups.filter((one) => one.is !== "block");
  for (let needs = lookups(); needs.length > 0; needs = lookups()) await learn(needs, target);
  const started = performance.now();
  source.step(snapshot, at);
  while (!source.chainStep(snapshot));
  const parts = new Map([["advance", performance.now() - started]]);
  const planned = plan();
  parts.set("plan", performance.now() - started - (parts.get("advance") ?? 0));
  parts.set("total", performance.now() - started);
  for (const [part, time] of parts) times.set(part, [...(times.get(part) ?? []), time]);
  await executePuts(planned.puts, target);
  for (const set of planned.tileSets) confirmTiles(known, set, at);
  for (const { publication, inputs, dueAt } of planned.responses) due.built(publication.key, { ...inputs, at }, dueAt);
}

function snapshotOf(chain: SettledChain, source: ProjectionsSource): WritableSnapshot {
  return {
    installationId: INSTALLATION,
    ledger: undefined,
    chain: chain.state(),
    projections: source.db,
    chainDb: chain.db,
    genesisTimestamp: undefined,
  };
}

keepHeapSmall();
await compare();
