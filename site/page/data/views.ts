/** Every answer that the page reads, and how often. */
import type { Category, SettlementRange, StatisticsRange } from "../../../src/http/keys.ts";
import type { Process } from "../../../src/resources/process/schema.ts";
import type { Statistics } from "../../../src/resources/statistics/schema.ts";
import type { Telemetry } from "../../../src/resources/telemetry/schema.ts";
import { ApiError, ask } from "./api.ts";
import type { Activity, Modules, Onchain, Settlements } from "./bodies.ts";
import { BROWSER, learnTime } from "./browser.ts";
import type { Status } from "./status.ts";
import { View } from "./view.ts";

const S = 1000;

function view<Body>(path: string, every: number): View<Body> {
  return new View<Body>(
    {
      every,
      async ask(signal) {
        const answer = await ask<Body>(path, signal);
        learnTime(answer.headers);
        return answer;
      },
      failureOf: (error) =>
        error instanceof ApiError ? { code: error.code, retryAfter: error.retryAfter } : { code: "invalid_answer" },
    },
    BROWSER,
  );
}

export const PROCESS = view<Process>("v4/public/process", 10 * S);
export const TELEMETRY = view<Telemetry>("v1/public/telemetry", 20 * S);
export const STATUS = view<Status>("status.json", 30 * S);
export const MODULES = view<Modules>("v1/public/modules", 60 * S);
export const ONCHAIN = view<Onchain>("v4/public/onchain", 60 * S);

const statistics = (range: StatisticsRange) => view<Statistics>(`v2/public/stats?range=${range}`, 60 * S);
export const STATISTICS = { "7d": statistics("7d"), "30d": statistics("30d") };

const settlements = (query: string) => view<Settlements>(`v4/public/settlements?range=${query}`, 60 * S);
/** `now` with the queue's projection. */
export const SETTLEMENTS: Readonly<Record<SettlementRange, View<Settlements>>> = {
  now: settlements("now&queue=1"),
  "24h": settlements("24h"),
  "7d": settlements("7d"),
  "30d": settlements("30d"),
};

const activity = (category: Category) => view<Activity>(activityPath(category), 60 * S);
export const ACTIVITY: Readonly<Record<Category, View<Activity>>> = {
  all: activity("all"),
  protocol: activity("protocol"),
  players: activity("players"),
  measurement: activity("measurement"),
};

/** One page more, from where another ended. */
export async function askOlder(category: Category, cursor: string): Promise<Activity> {
  const { body } = await ask<Activity>(`${activityPath(category)}&cursor=${cursor}`, new AbortController().signal);
  return body;
}

function activityPath(category: Category): string {
  return `v1/public/activity?category=${category}&limit=20`;
}
