/** The responses of a cycle: headers, revisions, and their successors after the publisher's death. */
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

    // A living publisher puts the successor's exact bytes, however late the cycle runs.
    expect(worker.publisher.nextDue()).toBe(STALE);
    await worker.cycle(STALE + 700);
    const alive = await world.read(route, STALE + 700);
    expect(new TextDecoder().decode(alive.body)).toBe(new TextDecoder().decode(dead.body));
    expect(alive.headers).toEqual(dead.headers);
    await worker.stop();
  },
);
