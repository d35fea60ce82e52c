/** The pace of observation tiles if puts cost money (docs/spec/publishing.md#the-cycle). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { START, World } from "./world.ts";

const BEGIN = START + 1_000_000;

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

async function page(position: number, at: number) {
  const cursor = Buffer.from(String(position)).toString("base64url");
  const { status, body } = await world.read(`/v1/public/installations/wheel-1/observations?cursor=${cursor}`, at);
  const { items = [] } = JSON.parse(new TextDecoder().decode(body)) as { items?: unknown[] };
  return [status, items.length];
}

test("while a bulk of receipts is published, a page that was 200 is never 503", async () => {
  world.receive(10_400);
  const first = await world.work();
  await first.cycle(BEGIN);
  await first.stop();
  // More tiles than one plan puts.
  world.receive(12_000);
  const seen = new Set<string>();
  const { put } = world.store;
  world.store.put = async (key, object, condition) => {
    const tag = await put.call(world.store, key, object, condition);
    for (const position of [10_400, 10_300, 1]) seen.add(`${position}: ${(await page(position, BEGIN))[0]}`);
    const reached = await lastPage();
    seen.add(`the last page: ${reached}`);
    return tag;
  };
  const worker = await world.work();
  await worker.cycle(BEGIN + 100_000);
  expect([...seen].filter((one) => !one.endsWith(" 200"))).toEqual([]);
  expect(await page(22_399, BEGIN + 100_000)).toEqual([200, 1]);
});

/** Follows the pages to the end from position 10,400, and returns the status of the last one. */
async function lastPage(): Promise<unknown> {
  for (let position = 10_400; ; ) {
    const [status, count] = await page(position, BEGIN);
    if (status !== 200 || count === 0) return status;
    position += Number(count);
  }
}
