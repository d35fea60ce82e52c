/**
 * The step of docs/scale.md that fits a machine: 64 clients through four Varnish instances over one radosgw with two shims,
 * counted at the origins beside what the simulation predicts, with a publisher that is alive and one long dead.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startVarnish } from "../../test/servers/varnish.ts";
import { simulate } from "./simulation.ts";
import { BENCH_ROUTES } from "../support/fronts/front-routes.ts";
import { wrk } from "../support/fronts/wrk.ts";
import { startOrigins } from "../support/scale-origins.ts";

const FRONTS = 4;
const CLIENTS = 64;
const SECONDS = 30;
/** The measured time of a fetch here, some milliseconds; it hardly matters beside the edge seconds. */
const FETCH_SECONDS = 0.01;

export async function run(): Promise<void> {
  const { origins, counts, publish, stop } = await startOrigins();
  const fronts = await Promise.all(Array.from({ length: FRONTS }, () => startVarnish(origins)));
  const folders = fronts.map(() => mkdtempSync(join(tmpdir(), "noonmark-bench-")));
  const urls = BENCH_ROUTES.map(({ url }) => url);
  try {
    for (const [publisher, lives] of [
      ["alive", 3_600_000],
      ["long dead", -1_000],
    ] as const) {
      await publish(lives);
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
        urls: BENCH_ROUTES.map(({ edgeSeconds }) => ({ share: 1 / urls.length, edgeSeconds, isPast: lives < 0 })),
        seconds: SECONDS,
        fetchSeconds: FETCH_SECONDS,
        seed: 1,
      });
      console.log(
        `scale (publisher ${publisher}): ${Math.round(perSecond * SECONDS)} requests in ${SECONDS} s from ${CLIENTS} clients ` +
          `through ${FRONTS} Varnish; fronts asked the bucket ${bucket} times (simulated: ${predicted.bucket}), ` +
          `the shims ${atShims} (${shims.join(" and ")}; simulated: ${predicted.shim})`,
      );
    }
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
    await Promise.all(fronts.map((front) => front.stop()));
    await stop();
  }
}
