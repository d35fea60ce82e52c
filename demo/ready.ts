/** The demo is ready once every route responds, and no view of a chain is unavailable. */
import { CATEGORIES } from "../src/resources/activity/keys.ts";
import { RANGES } from "../src/resources/statistics/route.ts";
import { SETTLEMENT_RANGES } from "../src/resources/settlements/route.ts";

const READY_WITHIN = 60_000;
const LOOK_AGAIN = 100;

export const CHAIN_ROUTES = [
  "/v4/public/onchain",
  ...SETTLEMENT_RANGES.map((range) => `/v4/public/settlements?range=${range}`),
  ...SETTLEMENT_RANGES.map((range) => `/v3/public/settlements?range=${range}`),
  ...CATEGORIES.map((category) => `/v1/public/activity?category=${category}`),
];
const ROUTES = [
  "/v1/public/telemetry",
  "/v1/public/modules",
  "/v1/public/installations/wheel-1/observations",
  "/v4/public/process",
  ...RANGES.map((range) => `/v2/public/stats?range=${range}`),
];

/** Waits until the first responses are published; false if `over` comes first. `url` has no slash at its end. */
export async function isReady(url: string, { chain }: { chain: boolean }, over: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  over.finally(() => stop.abort()).catch(() => undefined);
  const deadline = performance.now() + READY_WITHIN;
  const waiting = async (isThere: () => Promise<boolean>): Promise<void> => {
    while (!stop.signal.aborted && performance.now() < deadline && !(await isThere())) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
    }
  };
  for (const path of ROUTES) await waiting(async () => (await bodyOf(url + path)) !== undefined);
  for (const path of chain ? CHAIN_ROUTES : []) {
    await waiting(async () => (await bodyOf(url + path))?.status === "available");
  }
  return !stop.signal.aborted;
}

async function bodyOf(url: string): Promise<{ readonly status?: string } | undefined> {
  const response = await fetch(url).catch(() => undefined);
  const text = await response?.text();
  return response?.ok === true && text !== undefined ? (JSON.parse(text) as { status?: string }) : undefined;
}
