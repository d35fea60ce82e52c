/** In a directory a put costs nothing but what it writes, and that of the growing tile is all of its receipts again. */
import { expect, test } from "vitest";
import { minimumPutIntervalOf, minimumTileIntervalOf } from "../../../bin/cli/publish/put-interval.ts";
import { START, World } from "../world.ts";

const TILE = "v1/public/installations/~wheel-1/observations/1/0";

test("the growing tile has an interval of its own: telemetry is put each second, the tile each thirty", async () => {
  const world = new World();
  world.receive(1);
  const [minimumPutInterval, minimumTileInterval] = [minimumPutIntervalOf("public"), minimumTileIntervalOf("public")];
  const worker = await world.work({ minimumPutInterval, minimumTileInterval });
  for (let second = 0; second <= 60; second++) {
    await worker.cycle(START + 16_000 + second * 1_000);
    world.receive(1);
  }
  const putsOf = (key: string) => world.store.puts.filter((put) => put === key).length;
  expect(putsOf("v1/public/telemetry")).toBe(61);
  expect(putsOf(TILE)).toBe(3);
  await worker.stop();
  world.end();
});

test("in object storage the tile has the interval of every key", () => {
  expect([minimumPutIntervalOf("s3://bucket"), minimumTileIntervalOf("s3://bucket")]).toEqual([5_000, 5_000]);
});
