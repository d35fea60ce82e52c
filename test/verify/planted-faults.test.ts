/** Planted faults are found: at least 95 of 100, and the undetected ones are listed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { jsonOf, type Transport } from "../../src/verify/exchange.ts";
import { EDGE_FAULTS } from "./support/faults/edges.ts";
import { FIELD_FAULTS } from "./support/faults/field-rules.ts";
import { HEADER_FAULTS } from "./support/faults/headers.ts";
import { headers, onReply, type Planted } from "./support/faults/plant.ts";
import { QUERY_FAULTS } from "./support/faults/queries.ts";
import { CLOCK_FAULTS, ROUTE_FAULTS } from "./support/faults/routes.ts";
import { shapeFaults } from "./support/faults/shapes.ts";
import { STATUS_FAULTS } from "./support/faults/statuses.ts";
import { WALK_FAULTS } from "./support/faults/walks.ts";
import { type FullWorld, fullWorld } from "./support/full-world.ts";
import { judge, standIn } from "./support/stand-in.ts";

const KINDS: readonly (readonly [string, () => Promise<readonly Planted[]>, number])[] = [
  ["headers", async () => HEADER_FAULTS, 350],
  ["statuses, methods, paths and If-None-Match", async () => STATUS_FAULTS, 310],
  ["queries", async () => QUERY_FAULTS, 100],
  ["fields of every body", () => shapeFaults(send), 500],
  ["rules between fields", async () => FIELD_FAULTS, 90],
  ["agreement between routes", async () => ROUTE_FAULTS, 40],
  ["the clock", async () => CLOCK_FAULTS, 10],
  ["caches, compressors and storages", async () => EDGE_FAULTS, 130],
  ["walks and watching", async () => WALK_FAULTS, 55],
];

let full: FullWorld;
let send: Transport;
beforeAll(async () => {
  full = await fullWorld();
  send = standIn(full);
});
afterAll(() => full?.world.end());

test.each(KINDS)("verify finds the planted faults of %s", async (kind, planted, atLeast) => {
  const faults = await planted();
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(atLeast);
  const missed: string[] = [];
  const clean = new Set<string>();
  for (const { name, families, only, fault } of faults) {
    const judged = { send, now: full.at, watch: 3, families, ...(only === undefined ? {} : { only }) };
    const combination = JSON.stringify([families, only]);
    // The same rules find nothing if no fault is planted.
    if (!clean.has(combination)) expect((await judge(judged)).findings, combination).toEqual([]);
    clean.add(combination);
    const { findings } = await judge({ ...judged, fault });
    if (findings.length === 0) missed.push(name);
  }
  const share = 1 - missed.length / faults.length;
  if (missed.length > 0)
    console.info(`${kind}: ${missed.length} of ${faults.length} are not found:\n${missed.join("\n")}`);
  expect(share, missed.join("\n")).toBeGreaterThanOrEqual(0.95);
});

interface Measured {
  readonly receivedAt?: string;
  readonly measurement?: { readonly receivedAt: string };
}

/** Sets the server's Date this many milliseconds before the receipt in its response. */
function beforeReceipt(path: string, milliseconds: number): Planted["fault"] {
  return onReply(
    ({ target }, { status }) => target.split("?")[0] === path && status === 200,
    (reply) => {
      const body = jsonOf(reply) as Measured;
      const receivedAt = Date.parse(body.receivedAt ?? body.measurement?.receivedAt ?? "");
      return headers({ date: new Date(receivedAt - milliseconds).toUTCString() })(reply);
    },
  );
}

test.each([
  ["telemetry", "/v1/public/telemetry"],
  ["process", "/v4/public/process"],
])("%s: online is a finding for a receipt 90 s ahead of the clock, but not for one 30 s ahead", async (only, path) => {
  const findings = async (milliseconds: number) => {
    const fault = beforeReceipt(path, milliseconds);
    const report = await judge({ send, now: full.at, families: ["answer"], only: [only], fault });
    return report.findings.filter(({ rule }) => rule === "clock/online").map(({ request, seen }) => [request, seen]);
  };
  expect(await findings(90_000)).toEqual([[`GET ${path}`, "online"]]);
  expect(await findings(30_000)).toEqual([]);
});
