/** Each response carries its successors: after the publisher's death readers get what a living one would have put. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const RECEIVED = START + 3000;
const STALE = RECEIVED + 120_001;

test.each(["/v1/public/telemetry", "/v4/public/process"])(
  "%s turns stale at its instant, with the publisher dead or alive",
  async (route) => {
    world.receive(1);
    const worker = await world.work();
    await worker.cycle(START + 4000);
    expect(await world.body(route, STALE - 1)).toContain('"online"');
    const dead = await world.read(route, STALE);
    expect(new TextDecoder().decode(dead.body)).toContain('"stale"');

    // Alive, it puts the successor's very bytes, however late the cycle comes.
    expect(worker.publisher.nextDue()).toBe(STALE);
    await worker.cycle(STALE + 700);
    const alive = await world.read(route, STALE + 700);
    expect(new TextDecoder().decode(alive.body)).toBe(new TextDecoder().decode(dead.body));
    expect(alive.headers).toEqual(dead.headers);
    await worker.stop();
  },
);

test("telemetry keeps its revision when it turns stale, process changes it", async () => {
  world.receive(1);
  const worker = await world.work();
  await worker.cycle(START + 4000);
  worker.kill();
  const tag = async (route: string, at: number) => (await world.read(route, at)).headers.etag;
  expect(await tag("/v1/public/telemetry", STALE)).toBe(await tag("/v1/public/telemetry", STALE - 1));
  expect(await tag("/v4/public/process", STALE)).not.toBe(await tag("/v4/public/process", STALE - 1));
});
