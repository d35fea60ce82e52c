import { afterEach, beforeEach, expect, test } from "vitest";
import { withDeadline } from "../../../../bin/cli/publish/publish-once.ts";
import { INSTALLATION, START, World } from "../../../publish/world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

test("a run past its deadline starts no put and reports it, and the next run continues", async () => {
  world.receive(300);
  // Each put takes a second.
  const { store } = world;
  const put = store.put.bind(store);
  store.put = (...args) => {
    world.now += 1_000;
    return put(...args);
  };
  const worker = await world.work({ store: withDeadline(store, () => world.now, 10_000) });
  await expect(worker.cycle(START)).rejects.toThrow("the run's time (10 s, --deadline) is over");
  expect(store.puts.length).toBe(10);
  worker.kill();

  const next = await world.work();
  const again = await next.cycle(START + 60_000);
  expect(again.rows.filter(({ action }) => action === "failed")).toEqual([]);
  const page = await world.body(`/v1/public/installations/${INSTALLATION}/observations?cursor=Mjk5`);
  expect(JSON.parse(page).items).toHaveLength(1);
  await next.stop();
});
