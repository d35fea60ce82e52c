/**
 * Measures the shim's peak memory, and the latency of other clients, while clients send requests and read nothing
 *.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { statisticsKey } from "../../src/resources/statistics/route.ts";
import { setup as build } from "../../test/support/build.ts";
import { putIndex, putResponse, putTiles } from "../../test/support/publish-response.ts";
import { ATTACK_MS, type Attack, attack } from "../support/http/attack.ts";
import { quantile } from "../support/quantile.ts";

const RUNS = 3;
const SHAPES = [
  { connections: 300, pipelining: 300, requests: 150 },
  { connections: 4_000, pipelining: 300, requests: 150 },
];
const PATHS = {
  "135 kB": "/v2/public/stats?range=30d",
  "a page of observations": "/v1/public/installations/wheel-1/observations",
};
const PLAIN = "/v4/public/process";

export async function run(): Promise<void> {
  build();
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    await fill(directory);
    for (const [name, path] of Object.entries(PATHS)) {
      for (const shape of SHAPES) await measure(directory, name, { ...shape, path });
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function fill(directory: string): Promise<void> {
  const store = await openStore(directory, { write: true });
  const response = (bytes: number) => ({ status: 200, headers: {}, body: JSON.stringify("x".repeat(bytes)) });
  await putResponse(store, PROCESS_KEY, response(2_000));
  await putResponse(store, statisticsKey("30d"), response(135_000));
  await putIndex(store, ["wheel-1"]);
  await putTiles(store, "wheel-1", 200, (position) => JSON.stringify({ position, text: "x".repeat(330) }));
}

async function measure(directory: string, name: string, mute: Attack): Promise<void> {
  for (let run = 0; run < RUNS; run++) {
    const { megabytes, plain } = await attack(directory, mute, PLAIN);
    console.log(
      `readers: ${mute.connections} connections request ${name} and read nothing, ${mute.pipelining} of them ` +
        `${mute.requests} times at once: ` +
        `${megabytes.toFixed(0)} MB peak resident memory; other requests during ${ATTACK_MS / 1_000} s: ` +
        `new connections ${latencyText(plain.fresh)}; keep-alive connections ${latencyText(plain.kept)}`,
    );
  }
}

function latencyText(times: readonly number[]): string {
  const of = (q: number) => quantile(times, q).toFixed(0);
  return `p50 ${of(0.5)} ms, p99 ${of(0.99)} ms, maximum ${of(1)} ms`;
}
