import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeResponse } from "../../../src/object-store/stored-response.ts";
import { ROUTES } from "../../../src/resources/table.ts";
import { INSTALLATION, START, World } from "../world.ts";

let world: World;
beforeAll(async () => {
  world = new World();
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  await worker.stop();
});
afterAll(() => world.end());

test("each stored response has the headers of its route", async () => {
  for (const route of ROUTES) {
    for (const { key } of route.objects) {
      const object = await world.store.get(key);
      if (object === undefined) throw new Error(`${key} is not published`);
      const { status, headers } = decodeResponse(object).representation;
      const promised =
        status === 200
          ? {
              ...(route.etag ? { etag: expect.stringMatching(/^"[\w-]+"$/) } : {}),
              ...(route.cacheControl === null ? {} : { "cache-control": route.cacheControl }),
              ...(route.sourceHeaders ? { "x-service-settlement-source": "unavailable" } : {}),
            }
          : { "cache-control": "no-store", "retry-after": "2" };
      expect(headers, key).toEqual(promised);
    }
  }
});

test("every route is served from the stored objects", async () => {
  for (const { name, path, objects } of ROUTES) {
    const query = objects[0]?.query ?? "";
    const { status } = await world.read(`${path.replace("{installationId}", INSTALLATION)}?${query}`);
    // A ledger without rounds has no statistics yet.
    expect(status, name).toBe(name === "statistics" ? 503 : 200);
  }
});
