/**
 * All objects of a cycle come from one snapshot. Facts that arrive during a cycle belong to the next
 * one.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type StoredObject } from "../../src/object-store/object-store.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { GrownChain } from "./activity/grown-chain.ts";
import { START, World } from "./world.ts";

/** Commits facts before each store request, so that no two requests see the same ledger. */
class RestlessStore extends MemoryStore {
  meanwhile: () => void = () => {};

  override async get(...get: Parameters<MemoryStore["get"]>): ReturnType<MemoryStore["get"]> {
    this.meanwhile();
    return super.get(...get);
  }

  override async put(...put: Parameters<MemoryStore["put"]>): ReturnType<MemoryStore["put"]> {
    this.meanwhile();
    return super.put(...put);
  }
}

let world: World;
let store: RestlessStore;
let chain: GrownChain;
beforeEach(() => {
  world = new World();
  store = new RestlessStore();
  chain = new GrownChain();
  chain.pass(START);
  world.receive(5);
});
afterEach(() => world.end());

/** In these tests a receipt's position equals its cumulative work. */
function positionIn(key: string, { body }: StoredObject): number | undefined {
  const text = new TextDecoder().decode(body);
  if (key.includes("/observations/")) return Number(JSON.parse(text.split("\n").at(-1) ?? "").sequence);
  if (!key.endsWith("telemetry") && !key.endsWith("process")) return undefined;
  const { measurement } = JSON.parse(text) as { measurement: { cumulativeWorkUnits: string } | null };
  return measurement === null ? undefined : Number(measurement.cumulativeWorkUnits);
}

/** For every object with receipts: the last receipt in its body and, for telemetry, in its metadata. */
async function positions(): Promise<Map<string, { body: number; metadata: number | undefined }>> {
  const found = new Map<string, { body: number; metadata: number | undefined }>();
  store.meanwhile = () => {};
  for await (const key of store.list("v")) {
    const object = (await store.get(key)) as StoredObject;
    const body = positionIn(key, object);
    const { position } = object.metadata;
    if (body !== undefined) found.set(key, { body, metadata: position === undefined ? undefined : Number(position) });
  }
  return found;
}

const KEYS = ["v1/public/installations/~wheel-1/observations/0", "v1/public/telemetry", "v4/public/process"];

async function expectOneState(): Promise<void> {
  const found = await positions();
  expect([...found.keys()]).toEqual(KEYS);
  expect(new Set([...found.values()].map(({ body }) => body)).size).toBe(1);
  expectPositions(found);
}

function expectPositions(found: Awaited<ReturnType<typeof positions>>): void {
  for (const [key, { body, metadata }] of found) if (key.endsWith("/telemetry")) expect(metadata, key).toBe(body);
}

test("the first publish and a later change of everything come from one snapshot each", async () => {
  const worker = await world.work({ store, chain });
  for (const at of [START + 100_000, START + 200_000]) {
    store.meanwhile = () => world.receive(1);
    chain.pass(at);
    await worker.cycle(at);
    await expectOneState();
  }
});

test("onchain is of the safe block that the head says, even if the chain advances meanwhile", async () => {
  const worker = await world.work({ store, chain });
  let at = START + 100_000;
  store.meanwhile = () => chain.pass(at);
  await worker.cycle(at);
  at += 100_000;
  const { rows } = await worker.cycle(at);
  const views = rows.filter(({ resource }) => resource === "onchain" || resource === "activity");
  expect(views.filter(({ action }) => action === "failed")).toEqual([]);
  store.meanwhile = () => {};
  const seen: string[] = [];
  for await (const key of store.list("v4/public/onchain")) {
    const object = (await store.get(key)) as StoredObject;
    const { chain: point } = JSON.parse(new TextDecoder().decode(object.body)) as {
      chain?: { safeThroughBlock: string };
    };
    if (point === undefined) continue;
    seen.push(key);
    expect(worker.held.head.responses[key]?.safeBlock?.number).toBe(point.safeThroughBlock);
  }
  expect(seen).toEqual(["v4/public/onchain"]);
});
