/**
 * Measures random pages of observations in a history of 10,000,000 receipts against its first page, over HTTP. A page
 * must read at most two tiles, and its p99 must be at most twice the first page's. Writes only the tiles that are
 * requested.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TILE_SIZE } from "../../../src/http/keys.ts";
import { openStore } from "../../../src/object-store/open-store.ts";
import { encodeObservationCursor, observationTileKey, tileOf } from "../../../src/resources/observations/route.ts";
import { type ShimContext, shimContext } from "../../../src/shim/context.ts";
import { startServer } from "../../../src/shim/node/node-server.ts";
import { tickStore } from "../../../src/shim/node/store-reader.ts";
import { putIndex, putText } from "../../support/publish-response.ts";
import { quantile } from "../support/quantile.ts";

const RECEIPTS = 10_000_000;
const PAGES = 1500;
const WARM_UP = 300;
const ID = "wheel-1";
const PATH = `/v1/public/installations/${ID}/observations`;

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    const store = await openStore(directory, { write: true });
    await putIndex(store, [ID]);
    const random = generator(1);
    const cursors = Array.from({ length: PAGES + WARM_UP }, () => 1 + Math.floor(random() * (RECEIPTS - 200)));
    const tiles = new Set([0, ...cursors.flatMap((after) => [tileOf(after + 1), tileOf(after + 1) + 1])]);
    for (const tile of tiles) await putText(store, observationTileKey(ID, 1, tile), tileText(tile));
    let reads = 0;
    const counting = {
      get: (...args: Parameters<typeof store.get>) => {
        if (args[0].includes("/observations/")) reads++;
        return store.get(...args);
      },
    };
    const context = shimContext({
      store: tickStore(counting),
      now: () => Date.now(),
      monotonic: () => performance.now(),
    });
    await measure(context, cursors, () => reads);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function measure(context: ShimContext, cursors: readonly number[], reads: () => number): Promise<void> {
  const options = { host: "127.0.0.1", port: 0, wallClock: () => Date.now(), defect: console.error };
  const server = await startServer(context, options);
  const first: number[] = [];
  const randomPages: number[] = [];
  let maxReads = 0;
  for (const [index, after] of cursors.entries()) {
    const firstMs = await requestMs(server.port, PATH);
    const before = reads();
    const randomMs = await requestMs(server.port, `${PATH}?cursor=${encodeObservationCursor(after)}`);
    maxReads = Math.max(maxReads, reads() - before);
    if (index < WARM_UP) continue;
    first.push(firstMs);
    randomPages.push(randomMs);
  }
  await server.stop();
  const figure = (q: number) => `${(quantile(randomPages, q) / quantile(first, q)).toFixed(2)} ×`;
  console.log(
    `pages: random pages of ${RECEIPTS.toLocaleString("en")} receipts: p99 is ${figure(0.99)} the first page's ` +
      `(${quantile(randomPages, 0.99).toFixed(2)} to ${quantile(first, 0.99).toFixed(2)} ms; median ${figure(0.5)}), ` +
      `at most ${maxReads} tiles read (${PAGES} pages of 100)`,
  );
}

/** Milliseconds from the request to the last byte of the response. */
function requestMs(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const sent = request({ host: "127.0.0.1", port, path }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      response.on("data", () => {});
      response.on("end", () => resolve(performance.now() - started));
    });
    sent.on("error", reject);
    sent.end();
  });
}

function tileText(tile: number): string {
  return Array.from({ length: TILE_SIZE }, (_, index) => {
    const position = tile * TILE_SIZE + index + 1;
    return JSON.stringify({
      cursor: encodeObservationCursor(position),
      telemetryId: crypto.randomUUID(),
      bootId: "5f0c8a52-6f0e-4f8e-9d61-1c7a30c3a0a1",
      counterEpoch: "0d3f5b57-88f8-4d4c-8a5a-3b2a6a1f2b10",
      installationId: ID,
      sequence: position,
      observedAt: new Date(1_700_000_000_000 + position * 3000).toISOString(),
      receivedAt: new Date(1_700_000_000_250 + position * 3000).toISOString(),
      cumulativeWorkUnits: String(position * 10),
      provenance: "hardware",
      softwareVersion: "1.4.2",
    });
  }).join("\n");
}

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32), so that every run requests the same pages. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
