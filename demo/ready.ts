/** The demo is ready once every route responds, and no view of a chain is unavailable. */
import { plainTargets, routeContract } from "../src/resources/contracts.ts";
import { type NamedRoute, ROUTES } from "../src/resources/table.ts";

const READY_WITHIN = 60_000;
const LOOK_AGAIN = 100;

const isOfChain = ({ name }: NamedRoute) => routeContract(name).tag === "Chain";
const targetsOf = (rows: readonly NamedRoute[]) => rows.flatMap((row) => plainTargets(row, "wheel-1"));

export const CHAIN_TARGETS = targetsOf(ROUTES.filter(isOfChain));
const OTHER_TARGETS = targetsOf(ROUTES.filter((row) => !isOfChain(row)));

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
  for (const path of OTHER_TARGETS) await waiting(async () => (await bodyOf(url + path)) !== undefined);
  for (const path of chain ? CHAIN_TARGETS : []) {
    await waiting(async () => (await bodyOf(url + path))?.status === "available");
  }
  return !stop.signal.aborted;
}

async function bodyOf(url: string): Promise<{ readonly status?: string } | undefined> {
  const response = await fetch(url).catch(() => undefined);
  const text = await response?.text();
  return response?.ok === true && text !== undefined ? (JSON.parse(text) as { status?: string }) : undefined;
}
