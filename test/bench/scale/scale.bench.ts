/**
 * Checks the model of simulation.ts on one machine: 64 clients, four Varnish instances, two shims and one radosgw.
 * Compares the requests counted at the origins with the simulation, for a live and a long-dead publisher.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startVarnish } from "../../servers/varnish.ts";
import { BENCH_ROUTES } from "../support/fronts/front-routes.ts";
import { wrk } from "../support/fronts/wrk.ts";
import { startOrigins } from "../support/scale-origins.ts";
import { simulate } from "./simulation.ts";

const FRONTS = 4;
const CLIENTS = 64;
const SECONDS = 30;
/** Approximate fetch time on this machine. It is negligible against the edge seconds. */
const FETCH_SECONDS = 0.01;

export async function run(): Promise<void> {
  const { origins, counts, publish, stop } = await startOrigins();
  const fronts = await Promise.all(Array.from({ length: FRONTS }, () => startVarnish(origins)));
  const folders = fronts.map(() => mkdtempSync(join(tmpdir(), "noonmark-bench-")));
  const urls = BENCH_ROUTES.map(({ url }) => url);
  try {
    for (const [publisher, lifetimeMs] of [
      ["alive", 3_600_000],
      ["long dead", -1_000],
    ] as const) {
      await publish(lifetimeMs);
      counts();
      const loads = await Promise.all(
        fronts.map(({ port }, index) =>
          wrk({ port, urls, folder: folders[index] ?? "", connections: CLIENTS / FRONTS, seconds: SECONDS }),
        ),
      );
      const perSecond = loads.reduce((sum, load) => sum + load.perSecond, 0);
      const { bucket, shims } = counts();
      const atShims = shims.reduce((sum, count) => sum + count, 0);
      const predicted = simulate({
        dataCentres: FRONTS,
        requestsPerSecond: perSecond,
        urls: BENCH_ROUTES.map(({ edgeSeconds }) => ({ share: 1 / urls.length, edgeSeconds, isPast: lifetimeMs < 0 })),
        seconds: SECONDS,
        fetchSeconds: FETCH_SECONDS,
        seed: 1,
      });
      console.log(
        `scale (publisher ${publisher}): ${Math.round(perSecond * SECONDS)} requests in ${SECONDS} s from ${CLIENTS} clients ` +
          `through ${FRONTS} Varnish instances; requests to the bucket: ${bucket} (simulated: ${predicted.bucket}), ` +
          `to the shims: ${atShims} (${shims.join(" and ")}; simulated: ${predicted.shim})`,
      );
    }
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
    await Promise.all(fronts.map((front) => front.stop()));
    await stop();
  }
}
