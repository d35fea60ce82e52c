/** A world with all data: a turning wheel and a settling chain. */
import type * as z from "zod";
import type { publicationStatusSchema } from "../../../src/resources/publication-status/contract.ts";
import { statisticsBody } from "./statistics-body.ts";
import { RECORDED_AT, recorded, World } from "./world.ts";

export type Status = z.infer<typeof publicationStatusSchema>;

export const TARGETS = {
  process: "/v4/public/process",
  telemetry: "/v1/public/telemetry",
  modules: "/v1/public/modules",
  onchain: "/v4/public/onchain",
  status: "/status.json",
  week: "/v2/public/stats?range=7d",
  month: "/v2/public/stats?range=30d",
  queue: "/v4/public/settlements?range=now&queue=1",
  settlements: (range: string) => `/v4/public/settlements?range=${range}`,
  activity: (category: string) => `/v1/public/activity?category=${category}&limit=20`,
} as const;

const ago = (seconds: number) => new Date(RECORDED_AT - seconds * 1000).toISOString();

export function fullWorld(): World {
  const world = new World();
  for (const name of ["process", "telemetry", "modules", "onchain"] as const) world.say(TARGETS[name], recorded(name));
  world.say(TARGETS.week, statisticsBody("7d", RECORDED_AT));
  world.say(TARGETS.month, statisticsBody("30d", RECORDED_AT));
  world.say(TARGETS.queue, { ...recorded<object>("settlements-now"), queueProjection: PROJECTION }, LIVE);
  for (const range of ["24h", "7d", "30d"])
    world.say(TARGETS.settlements(range), recorded(`settlements-${range}`), LIVE);
  for (const category of ["all", "protocol", "players", "measurement"]) {
    world.say(TARGETS.activity(category), recorded(`activity-${category}`));
  }
  const { nextCursor } = recorded<{ nextCursor: string }>("activity-all");
  world.say(`${TARGETS.activity("all")}&cursor=${nextCursor}`, recorded("activity-older"));
  world.say(TARGETS.status, STATUS);
  return world;
}

const LIVE = { "x-service-settlement-source": "live" };

const PROJECTION = {
  state: "projected",
  previousSettledThroughRound: "4322",
  settledThroughRound: "4338",
  activeRoundCount: "14",
  previousBlockHeight: "485",
  blockHeight: "489",
  firstCompletedBlock: "486",
  lastCompletedBlock: "489",
  completedBlockCount: "4",
  amountBaseUnits: "20000000000000000001",
};

export const STATUS: Status = {
  schemaVersion: 1,
  installationId: "wheel-1",
  now: ago(0),
  publisher: { state: "live", renewedAt: ago(3), lastCycleAt: ago(2), nextCycleAt: ago(-1) },
  log: null,
  deploymentHash: null,
  responses: {
    "/v1/public/modules": {
      asOf: ago(114),
      status: 200,
      nextChangeAt: null,
      etag: null,
      logSize: 8231,
      safeBlock: null,
      program: "0.1.0",
    },
  },
  sources: {
    ledger: { status: "followed", newestReceiptAt: ago(3) },
    chain: { status: "followed", indexedThroughBlock: "360", safeThroughBlock: "349", lastGoodPassAt: ago(4) },
  },
};
