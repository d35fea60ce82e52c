/**
 * An exception costs only what it belongs to (docs/spec/publishing.md#isolation). One place throws in each test, and all
 * other objects are put as in a world without the exception. Once the place works again, both worlds are the same.
 */
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { CycleReport } from "../../publish/report.ts";
import { ownProjections, type ProjectionsSource } from "../../publish/sources/projections-source.ts";
import { pollUntilConcluded } from "../../src/chain/chain.ts";
import { openChain } from "../../src/chain/open-chain.ts";
import type { Signer } from "../../src/log/signer.ts";
import { CATEGORIES } from "../../src/resources/activity/route.ts";
import { observationSchema } from "../../src/resources/observations/contract.ts";
import { decodeObservationCursor } from "../../src/resources/observations/route.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { allPublications } from "../../src/resources/publications.ts";
import { ROBOTS } from "../../src/resources/site/site-files.ts";
import { telemetrySchema } from "../../src/resources/telemetry/contract.ts";
import { fieldsOf } from "../../src/values/unknown.ts";
import { ingest } from "../ledger/ingest.ts";
import { closure, epoch, instant, module, receipt, receipts, round, submission, uuid } from "../ledger/samples.ts";
import { type Action, SimulatedChain } from "../support/chain/simulated-chain.ts";
import { fetchFrom, SimulatedNode } from "../support/chain/simulated-node.ts";
import { INSTALLATION, SIGNER, START, type Worker, World } from "./world.ts";

/** The places that throw. */
const broken = new Set<string>();
function fail(place: string): void {
  if (broken.has(place)) throw new TypeError(`${place} is broken`);
}

/** Rows that a broken part of the projections cannot write. */
const WRITES: Readonly<Record<string, string>> = {
  "projection receipts": "INSERT ON totals WHEN NEW.name = 'peaks'",
  "projection submissions": "INSERT ON submission_state",
  "projection rounds": "INSERT ON day_rounds",
  "projection settlements": "INSERT ON settlement",
  "projection activity": "INSERT ON activity_event WHEN NEW.category != 'measurement'",
  ...Object.fromEntries(
    CATEGORIES.map((category) => [`tiles of ${category}`, `UPDATE ON activity_tile WHEN NEW.category = '${category}'`]),
  ),
};

beforeAll(() => {
  const telemetry = telemetrySchema.parse;
  vi.spyOn(telemetrySchema, "parse").mockImplementation((...args) => {
    fail(`telemetry of ${fieldsOf(args[0]).installationId}`);
    return telemetry(...args);
  });
  const observation = observationSchema.parse;
  vi.spyOn(observationSchema, "parse").mockImplementation((...args) => {
    const { installationId, cursor } = fieldsOf(args[0]);
    const position = decodeObservationCursor(String(cursor)) ?? 0;
    fail(`observation tile ${Math.floor((position - 1) / 128)} of ${installationId}`);
    return observation(...args);
  });
});
afterAll(() => vi.restoreAllMocks());

const SITE = { program: "1.0.0", files: [ROBOTS], publicUrl: undefined, deployment: null, chainMaxAge: 600_000 };
const SECOND = 1_000;
const OTHER = "wheel-2";

const SETTLE: Action = { is: "settle", rounds: 16n, activeRounds: 9n, work: 2_500n };

class Scene {
  readonly world = new World();
  readonly chain = new SimulatedChain(0, START / SECOND);
  readonly node = new SimulatedNode("http://node.invalid", this.chain, false);
  #worker: Worker | undefined;
  #projections: ProjectionsSource | undefined;
  #poll = async () => {};

  /** A cycle. `place` throws from its beginning. */
  async begin(place?: string): Promise<CycleReport> {
    vi.stubGlobal(
      "fetch",
      fetchFrom(() => [this.node]),
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
    const write = WRITES[place ?? ""];
    if (write !== undefined)
      this.#projections?.db.exec(
        `CREATE TEMP TRIGGER broken BEFORE ${write} BEGIN SELECT RAISE(ABORT, '${place} is broken'); END`,
      );
    world.now += 60 * SECOND;
    return this.cycle();
  }

  repair(): void {
    broken.clear();
    this.#projections?.db.exec("DROP TRIGGER IF EXISTS temp.broken");
    this.world.now += 60 * SECOND;
  }

  async cycle(): Promise<CycleReport> {
    await this.#poll();
    return (this.#worker as Worker).cycle(this.world.now);
  }

  /** The bodies by key, without those that say who is alive. */
  async bodies(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for await (const key of this.world.store.list("")) {
      if (key === "private/head.json") continue;
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
      rpcUrls: [this.node.url],
      statePath: join(world.folder, "chain.db"),
      grace: 15_000,
      validity: 600_000,
      now,
      sleep: async () => {},
      random: () => 0.5,
    });
    this.#poll = () => pollUntilConcluded(chain, now, world.now + 10_000);
    const publications = (all: Publication[]) => all.map(breakable);
    const signer: Signer = {
      ...SIGNER,
      sign(text) {
        fail("the log's checkpoint");
        return SIGNER.sign(text);
      },
    };
    const projections = ownProjections(join(world.folder, "state"), { whole: true });
    this.#projections = projections;
    this.#worker = await world.work({ chain, site: SITE, signers: [signer], publications, projections });
  }
}

/** A publication whose build and tiles throw if their key is broken. */
function breakable(publication: Publication): Publication {
  const { key, tileSet } = publication;
  return {
    ...publication,
    build(...args) {
      fail(`build ${key}`);
      if (args[0].chain.core.status === "available") fail(`build ${key} of a view`);
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
  [`telemetry of ${OTHER}`, /~wheel-2\//],
  [`observation tile 1 of ${INSTALLATION}`, /~wheel-1\/observations/],
  [`observation tile 2 of ${INSTALLATION}`, /~wheel-1\/observations/],
  [`observation tile 0 of ${OTHER}`, /~wheel-2\//],
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
    [...of].filter(([key]) => !key.startsWith("log/tile/")).toSorted(([one], [other]) => (one < other ? -1 : 1));
  expect(names(bodies)).toEqual(names(expected));
  expect(failed(report)).not.toEqual([]);
  expect(failed(report).filter((key) => !isHarmed(key))).toEqual([]);
  scene.repair();
  expect(failed(await scene.cycle())).toEqual([]);
  const repaired = await scene.bodies();
  // The steps decide the borders of the activity tiles.
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

test.each([
  "v4/public/onchain",
  "v4/public/settlements/now",
  "v3/public/settlements/now",
  "v1/public/activity/players",
])("%s says not_yet_safe, cannot be rendered later, and then does not say so for ever", async (key) => {
  scene = new Scene();
  scene.node.lag = 1_000;
  await scene.begin();
  // The head of an activity is not JSON as a whole.
  const reason = async () => {
    const body = Buffer.from((await scene.bodies()).get(key) ?? "", "base64").toString();
    return /"status":"unavailable".*"reason":"([a-z_]+)"/.exec(body)?.[1];
  };
  expect(await reason()).toBe("not_yet_safe");
  scene.node.lag = 0;
  for (const next of [() => scene.go(`build ${key} of a view`), () => scene.cycle()]) {
    expect(failed(await next())).toEqual([key]);
    expect(await reason()).toBe("indexer_unavailable");
    scene.world.now += 30 * SECOND;
  }
  broken.clear();
  expect(failed(await scene.cycle())).toEqual([]);
  expect(await reason()).toBe(undefined);
});
