/** The table's stale-if-error to its end: failing origins are hidden for that long, and not longer. */
import { expect, test } from "vitest";
import { ROUTES } from "../../../src/resources/table.ts";
import { until } from "../../support/processes.ts";
import { putLiveWorld } from "../../support/world.ts";
import type { Front } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { ask, type Origins, overFolder } from "./over-proxies.ts";

/** An object's response, and one that the shim composes. */
const PATHS = ["/v1/public/telemetry", "/v1/public/installations/wheel-1/observations"];
/** nginx counts in whole seconds, rounded up twice (docs/decisions/fronts.md). */
const RESOLUTION_MS = 2_000;

export function testStaleWindow(
  name: string,
  server: () => S3Server,
  start: (origins: Origins) => Promise<Front>,
): void {
  test.concurrent(`${name} hides stopped origins for as long as the table says`, async () => {
    await overFolder({ server, start }, async ({ store, front, bucket, shim }) => {
      await putLiveWorld(store);
      const kept = await Promise.all(PATHS.map((path) => keepOne(front, path)));
      await Promise.all([bucket.stop(), shim.stop()]);
      await Promise.all(kept.map((one) => watch(front, one)));
    });
  });
}

/** A response that the front fetched from its origin between two instants (ms, monotonic). */
interface Kept {
  readonly path: string;
  readonly body: string;
  readonly from: number;
  readonly to: number;
}

async function keepOne(front: Front, path: string): Promise<Kept> {
  const from = performance.now();
  const answer = await ask(front, path);
  expect(answer.status).toBe(200);
  return { path, body: await answer.text(), from, to: performance.now() };
}

async function watch(front: Front, { path, body, from, to }: Kept): Promise<void> {
  const { edgeSeconds, staleIfErrorSeconds } = rowOf(path);
  const keptMs = (edgeSeconds + staleIfErrorSeconds) * 1_000;
  let lastHidden = 0;
  const hidden = new Set<string>();
  await until(
    `${path} fails`,
    async () => {
      const at = performance.now();
      const answer = await ask(front, path);
      if (answer.status === 200) {
        hidden.add(await answer.text());
        lastHidden = at;
      }
      return answer.status === 503;
    },
    keptMs + 120_000,
  );
  expect([...hidden]).toEqual([body]);
  expect(performance.now() - from).toBeGreaterThanOrEqual(keptMs);
  expect(lastHidden - to).toBeLessThan(keptMs + RESOLUTION_MS);
}

function rowOf(path: string): (typeof ROUTES)[number] {
  const row = ROUTES.find((route) => route.path.replace("{installationId}", "wheel-1") === path);
  if (row === undefined) throw new Error(`no route for ${path}`);
  return row;
}
