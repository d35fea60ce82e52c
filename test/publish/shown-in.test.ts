/** docs/facts.md says which routes show a field. Each field is changed here, and every route is read before and after. */
import { expect, test } from "vitest";
import { recordSchema } from "../../src/ledger/intake/record-schema.ts";
import { RECORD_TYPES } from "../../src/ledger/intake/record-types.ts";
import { SHOWN_IN } from "../../src/ledger/intake/shown-in.ts";
import { FACT_KINDS, type FactKind } from "../../src/ledger/schema.ts";
import { RESPONSE_KEYS } from "../../src/resources/find.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { ingest } from "../ledger/ingest.ts";
import {
  closure,
  epoch,
  HASH,
  instant,
  type Json,
  module,
  oracle,
  receipt,
  reporterRun,
  round,
  settlementControl,
  submission,
  uuid,
} from "../ledger/samples.ts";
import { batchEvents } from "../support/chain/chain-db.ts";
import { GrownChain } from "./activity/grown-chain.ts";
import { START, World } from "./world.ts";

const AT = START + 60_000;
/** The chain's view is settled through round 40. */
const ROUNDS = [41, 42, 43] as const;
const GENESIS = START / 1000 - 600 * 46;
/** 22 hours before: another day. */
const YESTERDAY = instant(-22 * 3600);

const SENT = { lifecycle: "submitted", transactionHash: HASH, submittedAt: instant(1) };
const CONFIRMED = { ...SENT, lifecycle: "confirmed", confirmedAt: instant(2), terminalAt: instant(3) };
const REVERTED = { ...SENT, lifecycle: "reverted", terminalAt: instant(3), outcomeCode: "reverted" };
/** Lifecycle and outcomeCode change only together with other fields. */
const TOGETHER: Readonly<Record<string, Json>> = {
  retrying: { lifecycle: "retrying" },
  reverted: { ...REVERTED, confirmedAt: null },
  superseded: { ...REVERTED, lifecycle: "superseded", outcomeCode: "superseded" },
};

/** Facts before the changed record, and after it. */
const BEFORE: readonly Json[] = [
  epoch(),
  module({ instanceId: "other" }),
  ...ROUNDS.map((id) => round(id)),
  receipt(1, { distanceMm: 0 }),
  submission({ submissionId: uuid(0x60), ...REVERTED, preparedAt: instant(-10) }),
  oracle({ blockedReason: null, at: instant(5) }),
  settlementControl({ settlementEnabled: false, at: instant(5) }),
];
const KM_MM = 1_000_000;
const measured = receipt(2, { distanceMm: KM_MM - 1, rpmMilli: 50_000, speedMmPerSecond: 1_001 });
const newest = receipt(3, { distanceMm: 2 * KM_MM });
const accepted = round(44);
const ACCEPTANCE = closure(41, 42);

/**
 * The changed value of each field, where the rest of the record may stay. The record of `kind` comes first in a scene.
 */
interface Scene {
  readonly record: Json;
  readonly changes: Json;
  /** Facts after the record. */
  readonly after?: (record: Json) => readonly Json[];
}

const SCENES: Readonly<Record<FactKind, readonly Scene[]>> = {
  receipt: [[newest], []].map((after) => ({
    record: measured,
    after: () => [...after, ACCEPTANCE],
    changes: {
      telemetryId: uuid(0x77),
      bootId: uuid(0xb008),
      counterEpoch: uuid(0xe90d),
      sequence: 77,
      observedAt: instant(5),
      receivedAt: instant(5),
      cumulativeWorkUnits: "21",
      provenance: "replay",
      softwareVersion: "2",
      coreStatus: "COUNTER_FAULT",
      rpmMilli: 51_000,
      speedMmPerSecond: 1_501,
      distanceMm: KM_MM + 1,
    },
  })),
  epoch: [{ record: epoch(), after: () => [measured], changes: { counterEpoch: uuid(0xe90d), approvedAt: YESTERDAY } }],
  module: [
    {
      record: module(),
      changes: {
        instanceId: "b",
        moduleType: "b",
        driverId: "b",
        moduleVersion: "b",
        schemaVersion: 2,
        state: "faulted",
        observedAt: instant(7),
        provenance: "replay",
        health: { checkedAt: instant(-2), message: "well", code: "ok" },
        data: { a: 1 },
        resources: { a: 1 },
        configuration: { a: 1 },
        configurationVersion: "b",
        enabled: false,
      },
    },
  ],
  round: [
    {
      record: accepted,
      after: () => [closure(41, 44)],
      changes: { workUnits: "1", distanceMm: "1", eligible: false, closedAt: instant(5) },
    },
    { record: accepted, after: () => [ACCEPTANCE], changes: { workUnits: "1", closedAt: instant(5) } },
    {
      record: accepted,
      after: ({ roundId }) => [closure(41, 43), closure(String(roundId), String(roundId))],
      changes: { roundId: "45" },
    },
  ],
  closure: [{ record: ACCEPTANCE, changes: { firstRound: "42", lastRound: "41", acceptedAt: YESTERDAY } }],
  oracle: [
    { record: oracle(), after: () => [ACCEPTANCE], changes: { at: instant(9) } },
    { record: oracle({ at: instant(6) }), after: () => [ACCEPTANCE], changes: { blockedReason: "other" } },
  ],
  submission: [
    {
      record: submission(CONFIRMED),
      after: () => [ACCEPTANCE],
      changes: {
        lifecycle: "reverted",
        submissionId: uuid(0x5c),
        previousSettledThroughRound: "4001",
        settledThroughRound: "4017",
        activeRoundCount: 8,
        "expected.cumulativeWork": "101",
        "expected.blockHeight": "11",
        "expected.currentWork": "2",
        "expected.completedBlockCount": "0",
        transactionHash: `0x${"cd".repeat(32)}`,
        preparedAt: instant(0.5),
        submittedAt: instant(1.5),
        confirmedAt: instant(2.5),
        terminalAt: instant(3.5),
      },
    },
    {
      record: submission(SENT),
      after: () => [ACCEPTANCE],
      changes: {
        lifecycle: "retrying",
        submittedAt: instant(1.5),
        preparedAt: instant(0.5),
        activeRoundCount: 8,
        transactionHash: `0x${"cd".repeat(32)}`,
        previousSettledThroughRound: "4001",
        settledThroughRound: "4017",
        submissionId: uuid(0x5c),
      },
    },
    {
      // It continues the chain's view, so that there is a queue projection.
      record: submission({
        ...SENT,
        previousSettledThroughRound: "40",
        settledThroughRound: "56",
        expected: { cumulativeWork: "100", blockHeight: "14", currentWork: "1", completedBlockCount: "2" },
      }),
      after: () => [ACCEPTANCE],
      changes: {
        lifecycle: "reverted",
        previousSettledThroughRound: "39",
        settledThroughRound: "57",
        activeRoundCount: 8,
        "expected.cumulativeWork": "101",
        "expected.blockHeight": "15",
        "expected.currentWork": "2",
        "expected.completedBlockCount": "3",
      },
    },
    {
      record: submission(REVERTED),
      after: () => [ACCEPTANCE],
      changes: { terminalAt: instant(3.5), outcomeCode: "superseded" },
    },
  ],
  reporter_run: [
    { record: reporterRun({ finishedAt: null, result: null }), changes: { startedAt: instant(1) } },
    { record: reporterRun(), changes: { finishedAt: instant(6), result: "failed" } },
  ],
  settlement_control: [
    {
      record: settlementControl({ at: instant(6) }),
      changes: {
        settlementEnabled: false,
        reporterEnvironmentEnabled: false,
        blockedReason: "x",
        incidentOpen: true,
        at: instant(9),
      },
    },
    { record: settlementControl(), changes: { at: instant(9) } },
  ],
};

/** Returns the record with another value of a field, which may be a member: `expected.blockHeight`. */
function changed(record: Json, field: string, value: unknown): Json {
  const [name = "", member] = field.split(".");
  if (field === "lifecycle" || field === "outcomeCode") return { ...record, ...TOGETHER[String(value)] };
  return { ...record, [name]: member === undefined ? value : { ...(record[name] as Json), [member]: value } };
}

const URLS: readonly (readonly [route: string, url: string])[] = ROUTES.flatMap(({ name, path }) => {
  const urls = RESPONSE_KEYS.map(([url]) => url).filter((url) => url.split("?")[0] === path);
  return urls.length > 0
    ? urls.map((url) => [name, url] as const)
    : [[name, path.replace("{installationId}", "wheel-1")]];
});

/** The bodies of all routes, by name. */
async function bodies(records: readonly Json[]): Promise<Map<string, string>> {
  const world = new World();
  try {
    expect(ingest(world.ledger, records).rejections).toEqual([]);
    const chain = new GrownChain();
    chain.mine((block) =>
      batchEvents([{ block, time: START - 3_600_000, rounds: 40n, activeRounds: 40n, work: 12_345n }]),
    );
    chain.pass(AT);
    const worker = await world.work({ chain, genesisTimestamp: GENESIS });
    await worker.cycle(AT);
    const found = new Map<string, string>();
    for (const [name, url] of URLS) {
      const { status, body } = await world.read(url, AT);
      // Only legacy routes and routes without data are not 200.
      found.set(name, `${found.get(name) ?? ""}${status} ${new TextDecoder().decode(body)}\n`);
    }
    await worker.stop();
    return found;
  } finally {
    world.end();
  }
}

/** The names of a record's fields and of the members of its objects. */
function fieldsOf(kind: FactKind): string[] {
  const { dropped = [] } = RECORD_TYPES[kind];
  return Object.entries(recordSchema(kind).properties ?? {}).flatMap(([name, { title, properties = {} }]) => {
    if (name === "type" || name === "installationId" || dropped.includes(name)) return [];
    const members = title === undefined ? Object.keys(properties) : [];
    return members.length > 0 ? members.map((member) => `${name}.${member}`) : [name];
  });
}

test.each(FACT_KINDS)("docs/facts.md names the routes that show the fields of %s", async (kind) => {
  const found = new Map<string, Set<string>>();
  // Another approval would hide the changed one.
  const facts = BEFORE.filter(({ type }) => kind !== "epoch" || type !== "epoch");
  for (const { record, changes, after = () => [] } of SCENES[kind]) {
    const of = (one: Json) => bodies([...facts, one, ...after(one)]);
    const before = await of(record);
    for (const [field, value] of Object.entries(changes)) {
      const routes = found.get(field) ?? new Set();
      found.set(field, routes);
      for (const [route, body] of await of(changed(record, field, value))) {
        if (body !== before.get(route)) routes.add(route);
      }
    }
  }
  const sorted = (routes: Iterable<string>) => [...routes].toSorted();
  const shown = Object.fromEntries([...found].map(([field, routes]) => [field, sorted(routes)]));
  const { dropped = [] } = RECORD_TYPES[kind];
  const expected = Object.fromEntries([
    ...fieldsOf(kind).map((field) => [field, sorted(SHOWN_IN[kind][field] ?? ["not in SHOWN_IN"])]),
    ...dropped.map((field) => [field, []]),
  ]);
  expect(shown).toEqual(expected);
});
