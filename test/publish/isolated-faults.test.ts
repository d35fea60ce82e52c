/**
 * An exception costs only what it belongs to (docs/spec/publishing.md#isolation). One place throws in each test, and all
 * other objects are put as in a world without the exception. Once the place works again, both worlds are the same.
 */
import { join } from "node:path";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { CycleReport } from "../../publish/report.ts";
import { pollUntilConcluded } from "../../src/chain/chain.ts";
import { openChain } from "../../src/chain/open-chain.ts";
import type { Follower } from "../../src/projections/follow.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { allPublications } from "../../src/resources/publications.ts";
import { ROBOTS } from "../../src/resources/site/site-files.ts";
import { ingest } from "../ledger/ingest.ts";
import { closure, epoch, instant, module, receipt, receipts, round, submission, uuid } from "../ledger/samples.ts";
import { type Action, SimulatedChain } from "../support/chain/simulated-chain.ts";
import { fetchFrom, SimulatedNode } from "../support/chain/simulated-node.ts";
import { INSTALLATION, SIGNER, START, type Worker, World } from "./world.ts";

/** The places that throw. */
const broken = vi.hoisted(() => new Set<string>());
const fail = vi.hoisted(() => (place: string) => {
  if (broken.has(place)) throw new TypeError(`${place} is broken`);
});
const breaking = vi.hoisted(() => (follower: Follower<unknown>) => ({
  ...follower,
  apply(...args: Parameters<Follower<unknown>["apply"]>) {
    fail(`projection ${follower.name}`);
    follower.apply(...args);
  },
}));
vi.mock(import("../../src/projections/receipts.ts"), async (original) => {
  const real = await original();
  return { ...real, receiptFollower: (id) => breaking(real.receiptFollower(id) as never) as never };
});
vi.mock(import("../../src/projections/settlements/submissions.ts"), async (original) => {
  const real = await original();
  return { ...real, submissionFollower: (id) => breaking(real.submissionFollower(id) as never) as never };
});
vi.mock(import("../../src/projections/rounds/rounds.ts"), async (original) => {
  const real = await original();
  return { ...real, roundFollower: (...of) => breaking(real.roundFollower(...of) as never) as never };
});
vi.mock(import("../../src/projections/settlements/settlements.ts"), async (original) => {
  const real = await original();
  return { ...real, settlementFollower: breaking(real.settlementFollower as never) as never };
});
vi.mock(import("../../src/projections/activity/activity-chain.ts"), async (original) => {
  const real = await original();
  return { ...real, chainActivityFollower: breaking(real.chainActivityFollower as never) as never };
});
vi.mock(import("../../src/resources/activity/tiles.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    tileHash(...args) {
      fail(`tiles of ${args[0].category}`);
      return real.tileHash(...args);
    },
  };
});
vi.mock(import("../../src/resources/observations/build.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    buildObservationTile(...args) {
      fail(`observation tile ${Math.floor(((args[1][0]?.position ?? 1) - 1) / 128)} of ${args[0]}`);
      return real.buildObservationTile(...args);
    },
  };
});
vi.mock(import("../../src/resources/telemetry/build.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    buildTelemetry(...args) {
      fail(`telemetry of ${args[0]}`);
      return real.buildTelemetry(...args);
    },
  };
});
vi.mock(import("../../src/ledger/log.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    entryTexts(...args) {
      fail("the log's entries");
      return real.entryTexts(...args);
    },
    subtreeHashes(...args) {
      fail("the log's hashes");
      return real.subtreeHashes(...args);
    },
  };
});
vi.mock(import("../../publish/plan/observations.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    planObservations(...args) {
      fail("the plan of observations");
      return real.planObservations(...args);
    },
  };
});
vi.mock(import("../../publish/plan/installations.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    planIndex(...args) {
      fail("the index");
      return real.planIndex(...args);
    },
  };
});

const SITE = { program: "1.0.0", files: [ROBOTS], publicUrl: undefined, deployment: null, chainMaxAge: 600_000 };
const SECOND = 1_000;
const OTHER = "wheel-2";

const SETTLE: Action = { is: "settle", rounds: 16n, activeRounds: 9n, work: 2_500n };

class Scene {
  readonly world = new World();
  readonly chain = new SimulatedChain(0, START / SECOND);
  readonly #node = new SimulatedNode("http://node.invalid", this.chain, false);
  #worker: Worker | undefined;
  #poll = async () => {};

  /** A cycle. `place` throws from its beginning. */
  async begin(place?: string): Promise<CycleReport> {
    vi.stubGlobal(
      "fetch",
      fetchFrom(() => [this.#node]),
    );
    broken.clear();
    if (place !== undefined) broken.add(place);
    const { world } = this;
    world.now = START + 3_600_000;
    ingest(world.ledger, [epoch(), module(), ...receipts(1, 150, { distanceMm: 1_000 })]);
    ingest(world.ledger, [epoch({ installationId: OTHER }), receipt(1, { installationId: OTHER })]);
    ingest(world.ledger, [round(0), closure(0, 0), submission()]);
    this.#grow([], [], [SETTLE], [{ is: "units", count: 120 }], [{ is: "fund", rounds: 16n, amount: 5n }]);
    await this.#start();
    return this.cycle();
  }

  /** The next cycle, after every source has changed. `place` throws from its beginning. */
  async go(place?: string): Promise<CycleReport> {
    const { world } = this;
    const facts = [
      module({ instanceId: "encoder-1" }),
      ...receipts(151, 300, { speedMmPerSecond: 2_000 }),
      receipt(2, { installationId: OTHER }),
      epoch({ installationId: "wheel-3" }),
      receipt(1, { installationId: "wheel-3" }),
      round(1),
      closure(1, 1),
      submission({ submissionId: uuid(0x5c), preparedAt: instant(600) }),
    ];
    expect(ingest(world.ledger, facts).rejected).toBe(0);
    for (let more = 0; more < 140; more++) this.#grow([SETTLE]);
    this.#grow([{ is: "units", count: 120 }]);
    if (place !== undefined) broken.add(place);
    world.now += 60 * SECOND;
    return this.cycle();
  }

  async cycle(): Promise<CycleReport> {
    await this.#poll();
    return (this.#worker as Worker).cycle(this.world.now);
  }

  /** The bodies by key, without those that say who is alive. */
  async bodies(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for await (const key of this.world.store.list("")) {
      if (key === "status.json" || key === "lease") continue;
      const object = await this.world.store.get(key, { fresh: true });
      found.set(key, Buffer.from(object?.body ?? []).toString("base64"));
    }
    return found;
  }

  #grow(...blocks: Action[][]): void {
    const { chain } = this;
    for (const actions of [...blocks, ...Array.from({ length: 12 }, () => [])])
      chain.branch = chain.branch.mined(chain, chain.branch.head.timestamp + 1, actions);
  }

  async #start(): Promise<void> {
    const { world } = this;
    const now = () => world.now;
    const chain = openChain({
      deployment: this.chain.deployment,
      rpcUrls: [this.#node.url],
      statePath: join(world.folder, "chain.db"),
      grace: 15_000,
      validity: 600_000,
      now,
      sleep: async () => {},
      random: () => 0.5,
    });
    this.#poll = () => pollUntilConcluded(chain, now, world.now + 10_000);
    const publications = (all: Publication[]) => all.map(breakable);
    this.#worker = await world.work({ chain, site: SITE, signers: [SIGNER], publications });
  }
}

/** A publication whose build and tiles throw if their key is broken. */
function breakable(publication: Publication): Publication {
  const { key, tileSet } = publication;
  return {
    ...publication,
    build(...args) {
      fail(`build ${key}`);
      return publication.build(...args);
    },
    inputs(...args) {
      fail(`inputs ${key}`);
      return publication.inputs(...args);
    },
    ...(tileSet && {
      tileSet: {
        ...tileSet,
        tiles: (snapshot) =>
          tileSet.tiles(snapshot).map((group) =>
            group.map((tile) => ({
              ...tile,
              body(now) {
                fail(`tiles put ${key}`);
                return tile.body(now);
              },
            })),
          ),
      },
    }),
  };
}

let scene: Scene;
/** The bodies after the two cycles of a world in which nothing throws. */
let before: ReadonlyMap<string, string>;
let whole: ReadonlyMap<string, string>;
beforeAll(async () => {
  scene = new Scene();
  await scene.begin();
  before = await scene.bodies();
  await scene.go();
  whole = await scene.bodies();
  scene.world.end();
});
afterEach(() => {
  vi.unstubAllGlobals();
  scene.world.end();
});

const failed = ({ rows }: CycleReport) => rows.filter(({ action }) => action === "failed").map(({ key }) => key);
const ACTIVITY = "v1/public/activity";
const OBSERVATIONS = "v1/public/installations/~";
const publications = allPublications({ installationId: INSTALLATION, statisticsInterval: 30_000, site: SITE });
const constants = publications.filter(({ sources }) => sources === undefined);
/** Files that change with no source are built in the first cycle only. */
const others = publications.filter(({ key, sources }) => sources !== undefined && !key.match(/robots|deployment/));
const STATISTICS = /^v2\/public\/stats\//;
const FEEDS = /^site\/feed\./;
const of = (categories: string) => new RegExp(`^${ACTIVITY}/(?:${categories})(?:/tiles/|$)`);

test.each<[place: string, ...harmed: (string | RegExp)[]]>([
  ...others.flatMap(({ key, tileSet }): [string, string, ...RegExp[]][] => {
    const tiles = tileSet === undefined ? [] : [new RegExp(`^${tileSet.prefix}`)];
    return [
      [`build ${key}`, key, ...tiles],
      [`inputs ${key}`, key, ...tiles],
      ...(tiles.length === 0 || key.endsWith("measurement") ? [] : [[`tiles put ${key}`, key, ...tiles] as never]),
    ];
  }),
  ["projection receipts", STATISTICS, FEEDS, of("all|measurement")],
  ["projection submissions", STATISTICS],
  ["projection rounds", STATISTICS],
  ["projection settlements", /^v[34]\/public\/settlements\//, FEEDS, of("all|protocol|players")],
  ["projection activity", FEEDS, of("all|protocol|players")],
  ["tiles of all", of("all")],
  ["tiles of protocol", of("protocol")],
  ["tiles of players", of("players")],
  [`telemetry of ${INSTALLATION}`, "v1/public/telemetry"],
  [`telemetry of ${OTHER}`, `${OBSERVATIONS}${OTHER}/telemetry`],
  // Tiles are put in ascending order.
  [`observation tile 1 of ${INSTALLATION}`, /~wheel-1\/observations\/1\/[12]$/],
  [`observation tile 2 of ${INSTALLATION}`, /~wheel-1\/observations\/1\/2$/],
  [`observation tile 0 of ${OTHER}`, /~wheel-2\/observations\//],
  // The index lists an installation once its tiles are stored.
  ["the plan of observations", /\/observations(?:\/|$)/, "installations"],
  ["the index", "installations"],
  ...["the log's entries", "the log's hashes"].map((place): [string, ...(string | RegExp)[]] => [
    place,
    // Whatever is computed from facts waits for the checkpoint.
    /^(?:installations$|log\/|v1\/public\/(?:telemetry|modules|installations\/)|v4\/public\/(?:process|settlements\/queue))/,
    STATISTICS,
    FEEDS,
    of("all|measurement"),
  ]),
])("%s throws", async (place, ...harmed) => {
  scene = new Scene();
  await scene.begin();
  const report = await scene.go(place);
  const bodies = await scene.bodies();
  const isHarmed = (key: string) => harmed.some((one) => (typeof one === "string" ? one === key : one.test(key)));
  const expected = new Map([...before].filter(([key]) => isHarmed(key)));
  for (const [key, body] of whole) if (!isHarmed(key)) expected.set(key, body);
  // A log's other files are put before the one that fails.
  const names = (of: ReadonlyMap<string, string>) =>
    [...of].filter(([key]) => !key.startsWith("log/1/tile/")).toSorted(([one], [other]) => (one < other ? -1 : 1));
  expect(names(bodies)).toEqual(names(expected));
  expect(failed(report)).not.toEqual([]);
  expect(failed(report).filter((key) => !isHarmed(key))).toEqual([]);
  broken.clear();
  scene.world.now += 60 * SECOND;
  expect(failed(await scene.cycle())).toEqual([]);
  const repaired = await scene.bodies();
  // Where the tiles of activity are cut depends on the steps.
  const keys = (all: ReadonlyMap<string, string>) =>
    [...all.keys()].filter((key) => !key.includes("/tiles/")).toSorted();
  expect(keys(repaired)).toEqual(keys(whole));
  const stays = keys(whole).filter(
    (key) => whole.get(key) !== before.get(key) && repaired.get(key) === before.get(key),
  );
  expect(stays).toEqual([]);
});

test.each(constants.map(({ key }) => key))("the constant %s cannot be built in a first cycle", async (key) => {
  scene = new Scene();
  const report = await scene.begin(`build ${key}`);
  const head = key.replace(/\/unavailable$/, "");
  expect(failed(report).toSorted()).toEqual([...new Set([head, key])].toSorted());
  const rest = [...before].filter(([one]) => one !== key && !one.startsWith(head));
  expect([...(await scene.bodies())].toSorted()).toEqual(rest.toSorted());
});
