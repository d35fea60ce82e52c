/** What is due: its earliest instant, and what makes an installation and the index due. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Due } from "../../publish/due.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { openProjections } from "../../src/projections/open.ts";
import { installationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { START, World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
  world.receive(2);
  world.receive(1, 2, "wheel-2");
});
afterEach(() => world.end());

const STALE = START + 3_000 + 120_001;

const step = fc.record({
  key: fc.nat(20).map(String),
  at: fc.option(fc.nat(100), { nil: undefined }),
  method: fc.constantFrom("built", "resume", "rest", "wait"),
});

test("the next instant is the earliest of all", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const due = new Due(0);
      const instants = new Map<string, number>();
      for (const { key, at, method } of steps) {
        const before = instants.get(key);
        instants.delete(key);
        if (method === "built") due.built(key, { inputs: "", throttledInputs: "", at: 0 }, at);
        else if (method === "rest" || at === undefined) due.rest(key);
        else if (method === "wait") due.wait(key, at);
        else due.resume(key, at);
        if (at !== undefined && method === "wait") instants.set(key, Math.min(at, before ?? at));
        else if (at !== undefined && method !== "rest") instants.set(key, at);
        expect(due.next()).toBe(instants.size === 0 ? undefined : Math.min(...instants.values()));
      }
    }),
  );
});

test("after the projections were replaced, other installations still turn stale in time", async () => {
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  const rebuilt = join(world.folder, "state", "rebuilt.db");
  openProjections(rebuilt).close();
  renameSync(rebuilt, join(world.folder, "state", "projections.db"));
  await worker.cycle(START + 11_000);
  expect(worker.publisher.nextDue()).toBe(STALE);
  const { rows } = await worker.cycle(STALE);
  expect(rows).toContainEqual(expect.objectContaining({ key: installationTelemetryKey("wheel-2"), action: "updated" }));
});

test("an index that is lost while the publisher runs is put before anything else", async () => {
  const worker = await world.work({ scrubInterval: 1 });
  await worker.cycle(START + 10_000);
  await world.store.delete(INSTALLATIONS_KEY);
  for (let check = 0; check < 40; check++) await worker.publisher.scrubIfDue((world.now += 100));
  world.receive(1);
  const before = world.store.puts.length;
  await worker.cycle(world.now);
  expect(world.store.puts.slice(before).filter((key) => key !== "status.json")[0]).toBe(INSTALLATIONS_KEY);
  expect(await world.body("/v1/public/installations/wheel-2/telemetry")).toContain('"online"');
});

test("a response that cannot be put is reported as failed in each cycle until it is put", async () => {
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  const failed = async (at: number) =>
    (await worker.cycle(at)).rows.filter(({ action }) => action === "failed").map(({ key }) => key);
  const key = installationTelemetryKey("wheel-2");
  world.store.failPuts = (one) => one === key;
  world.receive(1, 2, "wheel-2");
  expect(await failed(START + 11_000)).toEqual([key]);
  // The response is not due again, but other installations are.
  world.receive(1);
  expect(await failed(START + 12_000)).toEqual([key]);
  // It has changed again and waits for its next put.
  expect(await failed(START + 16_000)).toEqual([key]);
  world.store.failPuts = undefined;
  world.receive(1);
  expect(await failed(START + 20_000)).toEqual([key]);
  expect(await failed(START + 41_000)).toEqual([]);
});
