/** Waits until every route responds and no chain view is unavailable. */
import { plainTargets, routeContract } from "../../src/resources/contracts.ts";
import { type NamedRoute, ROUTES } from "../../src/resources/table.ts";

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

const isChainRoute = ({ name }: NamedRoute) => routeContract(name).tag === "Chain";
const targetsOf = (rows: readonly NamedRoute[]) => rows.flatMap((row) => plainTargets(row, "wheel-1"));

export const CHAIN_TARGETS = targetsOf(ROUTES.filter(isChainRoute));
const OTHER_TARGETS = targetsOf(ROUTES.filter((row) => !isChainRoute(row)));

/**
 * Waits until the first responses are published. Returns false if `over` settles first. `url` has no trailing slash.
 */
export async function isReady(url: string, { chain }: { chain: boolean }, over: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  over.finally(() => stop.abort()).catch(() => undefined);
  const deadline = performance.now() + READY_TIMEOUT_MS;
  const waitFor = async (isPublished: () => Promise<boolean>): Promise<void> => {
    while (!stop.signal.aborted && performance.now() < deadline && !(await isPublished())) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  for (const path of OTHER_TARGETS) await waitFor(async () => (await bodyOf(url + path)) !== undefined);
  for (const path of chain ? CHAIN_TARGETS : []) {
    await waitFor(async () => (await bodyOf(url + path))?.status === "available");
  }
  return !stop.signal.aborted;
}

async function bodyOf(url: string): Promise<{ readonly status?: string } | undefined> {
  const response = await fetch(url).catch(() => undefined);
  const text = await response?.text();
  return response?.ok === true && text !== undefined ? (JSON.parse(text) as { status?: string }) : undefined;
}
