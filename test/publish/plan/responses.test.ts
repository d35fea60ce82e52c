/** The responses of a cycle: headers, revisions, and their successors after the publisher's death. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { decodeResponse } from "../../../src/object-store/stored-response.ts";
import { ROUTES } from "../../../src/resources/table.ts";
import { ingest } from "../../ledger/ingest.ts";
import { epoch, instant, receipt, settlementControl } from "../../ledger/samples.ts";
import { GrownChain } from "../activity/grown-chain.ts";
import { INSTALLATION, START, World } from "../world.ts";

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

test("telemetry keeps its revision when it turns stale, and process changes it", async () => {
  world.receive(1);
  const worker = await world.work();
  await worker.cycle(START + 4000);
  worker.kill();
  const tag = async (route: string, at: number) => (await world.read(route, at)).headers.etag;
  expect(await tag("/v1/public/telemetry", STALE)).toBe(await tag("/v1/public/telemetry", STALE - 1));
  expect(await tag("/v4/public/process", STALE)).not.toBe(await tag("/v4/public/process", STALE - 1));
});

test("settlement control that is switched off and on returns to its revision with a later generatedAt", async () => {
  const chain = new GrownChain();
  chain.pass(START);
  ingest(world.ledger, [receipt(1), epoch()]);
  const worker = await world.work({ chain });
  const states = [];
  for (const [index, settlementEnabled] of [true, false, true].entries()) {
    ingest(world.ledger, [settlementControl({ settlementEnabled, at: instant(index) })]);
    await worker.cycle(START + 10_000 + index * 1_000);
    const { headers, body } = await world.read("/v4/public/process");
    states.push({ etag: headers.etag, ...JSON.parse(new TextDecoder().decode(body)) });
  }
  const [first, between, again] = states;
  expect(between.revision).not.toBe(first.revision);
  expect(again).toEqual({ ...first, generatedAt: new Date(START + 12_000).toISOString() });
  expect(again.generatedAt > between.generatedAt && between.generatedAt > first.generatedAt).toBe(true);
});

async function publishThree(): Promise<void> {
  world.receive(3);
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  await worker.stop();
}

test("each stored response has the headers of its route", async () => {
  await publishThree();
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
  await publishThree();
  for (const { name, path, objects } of ROUTES) {
    const query = objects[0]?.query ?? "";
    const { status } = await world.read(`${path.replace("{installationId}", INSTALLATION)}?${query}`);
    // A ledger without rounds has no statistics yet.
    expect(status, name).toBe(name === "statistics" ? 503 : 200);
  }
});
