/** Clients that pipeline and read nothing: the memory that a shim takes, and what others wait (docs/reliability.md). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { statisticsKey } from "../../src/resources/statistics/route.ts";
import { setup as build } from "../../test/support/build.ts";
import { putAnswer, putIndex, putTiles } from "../../test/support/publish-answer.ts";
import { type Attack, ATTACK_MS, attack } from "../support/http/attack.ts";
import { quantile } from "../support/quantile.ts";

const RUNS = 3;
const SHAPES = [
  { connections: 20, requests: 1_000 },
  { connections: 300, requests: 150 },
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
  const answer = (bytes: number) => ({ status: 200, headers: {}, body: JSON.stringify("x".repeat(bytes)) });
  await putAnswer(store, PROCESS_KEY, answer(2_000));
  await putAnswer(store, statisticsKey("30d"), answer(135_000));
  await putIndex(store, { "wheel-1": "1" });
  await putTiles(store, { installationId: "wheel-1", history: "1" }, 200, (position) =>
    JSON.stringify({ position, text: "x".repeat(330) }),
  );
}

async function measure(directory: string, name: string, mute: Attack): Promise<void> {
  for (let done = 0; done < RUNS; done++) {
    const { megabytes, plain } = await attack(directory, mute, PLAIN);
    console.log(
      `readers: ${mute.connections} connections ask ${mute.requests} times for ${name} and read nothing: ` +
        `${megabytes.toFixed(0)} MB resident at most; of plain requests in ${ATTACK_MS / 1_000} s, ` +
        `each on a connection of its own, ${waited(plain.fresh)}; on kept ones ${waited(plain.kept)}`,
    );
  }
}

function waited(times: readonly number[]): string {
  const of = (q: number) => quantile(times, q).toFixed(0);
  return `p50 ${of(0.5)} ms, p99 ${of(0.99)} ms, at most ${of(1)} ms`;
}
