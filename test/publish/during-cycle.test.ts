/** Facts that arrive during a cycle belong to the next one, also if the cycle still reads something after them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { START, World } from "./world.ts";

/** Does something once, in the middle of a cycle: as telemetry is put, before the tiles are read. */
class BusyStore extends MemoryStore {
  meanwhile: (() => void) | undefined;

  override async put(...put: Parameters<MemoryStore["put"]>): ReturnType<MemoryStore["put"]> {
    if (put[0] === TELEMETRY_KEY) {
      this.meanwhile?.();
      this.meanwhile = undefined;
    }
    return super.put(...put);
  }
}

let world: World;
let store: BusyStore;
beforeEach(() => {
  world = new World();
  store = new BusyStore();
});
afterEach(() => world.end());

const workIn = (key: string) => store.get(key).then((object) => new TextDecoder().decode(object?.body));

test("a receipt that is committed between two reads of a cycle is published by the next cycle", async () => {
  world.receive(1);
  const worker = await world.work({ store });
  store.meanwhile = () => world.receive(1);
  await worker.cycle(START + 10_000);
  expect(await workIn(TELEMETRY_KEY)).toContain('"cumulativeWorkUnits":"1"');
  expect(worker.publisher.isIdle(START + 11_000)).toBe(false);
  await worker.cycle(START + 11_000);
  expect(await workIn(TELEMETRY_KEY)).toContain('"cumulativeWorkUnits":"2"');
  expect(worker.publisher.isIdle(START + 12_000)).toBe(true);
  await worker.stop();
});

test("the facts of a cycle that the store interrupted are read again", async () => {
  world.receive(1);
  const worker = await world.work({ store });
  await worker.cycle(START + 10_000);
  world.receive(1, 2, "wheel-2");
  store.fail();
  await expect(worker.cycle(START + 11_000)).rejects.toThrow(StoreUnavailable);
  store.failure = undefined;
  expect(worker.publisher.isIdle(START + 12_000)).toBe(false);
  await worker.stop();
});
