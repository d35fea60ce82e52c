/**
 * Measures warm-cache requests per second through the generated nginx and Varnish configurations. The baselines serve
 * the same bytes: nginx with a plain `proxy_cache`, and Varnish with its built-in VCL. nginx has one worker; figures
 * are medians of alternating runs.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Front } from "../../servers/front.ts";
import { startNginx } from "../../servers/nginx.ts";
import { startVarnish } from "../../servers/varnish.ts";
import { BENCH_ROUTES } from "../support/fronts/front-routes.ts";
import { plainNginx, plainVarnish } from "../support/fronts/plain-fronts.ts";
import { type WrkLoad, wrk } from "../support/fronts/wrk.ts";
import { median } from "../support/quantile.ts";

const RUNS = 5;
const SECONDS = 3;
const CONNECTIONS = 32;
const CASES = [
  { name: "2 kB", bytes: 2_000, headers: {} },
  { name: "2 kB, Accept-Encoding: gzip", bytes: 2_000, headers: { "Accept-Encoding": "gzip" } },
  { name: "135 kB, Accept-Encoding: gzip, br", bytes: 135_000, headers: { "Accept-Encoding": "gzip, br" } },
] as const;

interface Ports {
  readonly bucket: number;
  readonly shim: number;
  readonly plain: number;
}

export async function run(): Promise<void> {
  for (const { name, bytes, headers } of CASES) {
    const child = fork(join(import.meta.dirname, "../support/fronts", "front-origins.ts"), [String(bytes)]);
    try {
      const [ports] = (await once(child, "message")) as [Ports];
      const at = (port: number) => ({ protocol: "http", host: "127.0.0.1", port }) as const;
      const origins = { bucket: { ...at(ports.bucket), path: "/" }, shim: at(ports.shim) };
      await compare(`nginx, ${name}`, headers, await startNginx(origins), await plainNginx(ports.plain));
      await compare(`Varnish, ${name}`, headers, await startVarnish(origins), await plainVarnish(ports.plain));
    } finally {
      await end(child);
    }
  }
}

async function compare(name: string, headers: Record<string, string>, ours: Front, plain: Front): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const urls = BENCH_ROUTES.map(({ url }) => url);
  const figures: { ours: WrkLoad; plain: WrkLoad }[] = [];
  try {
    for (let iteration = -1; iteration < RUNS; iteration++) {
      const of = ({ port }: Front) => wrk({ port, urls, headers, folder, connections: CONNECTIONS, seconds: SECONDS });
      const pair = { plain: await of(plain), ours: await of(ours) };
      // Iteration -1 is the warm-up.
      if (iteration >= 0) figures.push(pair);
    }
  } finally {
    await Promise.all([ours.stop(), plain.stop()]);
    rmSync(folder, { recursive: true });
  }
  const middle = (figure: (pair: (typeof figures)[number]) => number) => median(figures.map(figure));
  const speed = middle((pair) => pair.ours.perSecond / pair.plain.perSecond);
  const rates = `${middle(({ ours }) => ours.perSecond).toFixed(0)} to ${middle(({ plain }) => plain.perSecond).toFixed(0)}`;
  const p99 = `${middle(({ ours }) => ours.p99).toFixed(1)} to ${middle(({ plain }) => plain.p99).toFixed(1)} ms`;
  console.log(
    `fronts (${name}): ${speed.toFixed(2)} × the requests per second (${rates}); p99 ${p99} ` +
      `(${urls.length} URLs, ${RUNS} runs of ${SECONDS} s, ${CONNECTIONS} connections)`,
  );
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.disconnect();
  await exited;
}
