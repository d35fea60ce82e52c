import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeObservationCursor, observationTileKey } from "../../../src/resources/observations/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putIndex, putResponse, putTiles } from "../../support/publish-response.ts";
import { item } from "../../support/world.ts";

interface Page {
  readonly items: readonly { readonly cursor: string; readonly sequence: number }[];
  readonly nextCursor: string | null;
}

async function history(count: number) {
  const store = new MemoryStore();
  await putIndex(store, ["w"]);
  await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '{"installationId":"w"}' });
  const grow = (to: number) => putTiles(store, "w", to, (position) => item("w", position));
  await grow(count);
  const context = shimContext({ store, now: () => 0, monotonic: () => 0 });
  const page = async (query: string): Promise<Page> => {
    const { body } = await respond({ method: "GET", url: `/v1/public/installations/w/observations?${query}` }, context);
    return JSON.parse(new TextDecoder().decode(body)) as Page;
  };
  await page("");
  return { store, grow, page };
}

const tile = (n: number) => observationTileKey("w", n);

test("an outdated copy of a tile is read again, bypassing every cache", async () => {
  const { store, grow, page } = await history(100);
  store.freeze(tile(0));
  await grow(200);
  const { items, nextCursor } = await page(`cursor=${encodeObservationCursor(90)}&limit=50`);
  expect(items.map(({ sequence }) => sequence + 1)).toEqual(Array.from({ length: 50 }, (_, i) => 91 + i));
  expect(nextCursor).toBe(encodeObservationCursor(140));
});

test("a reader who pages while receipts arrive in bursts gets every receipt once, in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          burst: fc.integer({ min: 0, max: 300 }),
          limit: fc.integer({ min: 1, max: 100 }),
          stale: fc.boolean(),
        }),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
      async (steps) => {
        let count = 0;
        const { store, grow, page } = await history(0);
        const seen: number[] = [];
        const read = async (limit: number) => {
          const cursor = seen.length === 0 ? "" : `cursor=${encodeObservationCursor(seen.length)}&`;
          const { items } = await page(`${cursor}limit=${limit}`);
          seen.push(...items.map(({ sequence }) => sequence + 1));
          return items.length;
        };
        for (const { burst, limit, stale } of steps) {
          store.thaw();
          if (stale) for (let n = 0; n * 128 < count; n++) store.freeze(tile(n));
          count += burst;
          await grow(count);
          await read(limit);
        }
        store.thaw();
        while ((await read(100)) > 0);
        expect(seen).toEqual(Array.from({ length: count }, (_, i) => i + 1));
      },
    ),
    { numRuns: 50 },
  );
});
