/** How a head is taken (docs/spec/publishing.md#one-writer), and what a publisher begins with. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Head, readHead } from "../../publish/head/head.ts";
import { SILENT_MS } from "../../publish/head/held-head.ts";
import { standby } from "../../publish/head/take.ts";
import { HEAD_KEY } from "../../src/http/keys.ts";
import { newPrivateKey, parseSigner } from "../../src/log/signer.ts";
import { SIGNER, START, World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
  world.receive(3);
});
afterEach(() => world.end());

const stored = async (): Promise<Head> => {
  const head = (await readHead(world.store))?.head;
  if (head === undefined) throw new Error("no head is stored");
  return head;
};

async function published(at = START + 10_000) {
  const worker = await world.work();
  await worker.cycle(at);
  await worker.stop();
}

test("a standby takes a silent head after its own 20 seconds, and the earlier holder puts nothing more", async () => {
  const first = await world.work();
  await first.cycle(START + 10_000);
  const { candidate, begin } = world.open({ state: "other" });
  const attempts = standby(candidate);
  expect(await attempts.tryTake()).toBeUndefined();
  world.now += SILENT_MS - 1;
  expect(await attempts.tryTake()).toBeUndefined();
  world.now += 1;
  const held = await attempts.tryTake();
  expect(held?.epoch).toBeGreaterThan(first.held.epoch);
  world.receive(1);
  await expect(first.cycle(world.now)).rejects.toMatchObject({ code: "lease_lost" });
  if (held !== undefined) await begin(held).cycle(world.now);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"4"');
});

test("a process that was killed is followed at once by one with its state directory", async () => {
  const first = await world.work();
  await first.cycle(START + 10_000);
  first.kill();
  const { now } = world;
  const next = await world.work();
  expect(world.now).toBe(now);
  await next.stop();
});

test.each([
  ["deleted", () => world.store.delete(HEAD_KEY)],
  ["damaged", async () => world.store.damage(HEAD_KEY)],
])("a head that is %s ends a start, and a new one continues after the stored log", async (_, harm) => {
  await published();
  await harm();
  await expect(world.work()).rejects.toMatchObject({ code: "head_lost" });
  const worker = await world.work({ opens: { newHead: true } });
  expect(worker.held.head.log.size).toBe(3);
  world.receive(1);
  const { failures } = await worker.once(world.now + 10_000);
  expect(failures).toEqual([]);
  expect((await stored()).log.size).toBe(4);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"4"');
});

test("an older head is continued after the stored checkpoint, and everything is unfinished", async () => {
  await published();
  const { body, ...older } = (await world.store.get(HEAD_KEY)) ?? { body: new Uint8Array() };
  world.receive(2);
  await published(START + 20_000);
  await world.store.put(HEAD_KEY, { contentType: "application/json", metadata: {}, ...older, body });
  const worker = await world.work();
  expect(worker.held.head.log.size).toBe(5);
  expect(worker.held.head.unfinished.keys).toEqual(Object.keys(worker.held.head.responses));
  await worker.cycle(START + 30_000);
  expect(worker.held.head.unfinished.keys).toEqual([]);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"5"');
});

test("the configured installation may change until the first fact is published", async () => {
  await published();
  await expect(world.work({ installationId: "wheel-9" })).rejects.toMatchObject({ code: "installation_changed" });
});

test("a public log needs consent once, and then a key of its name", async () => {
  const publicly = { signers: [SIGNER] };
  const refused = world.work({ ...publicly, opens: { publishLog: false } });
  await expect(refused).rejects.toMatchObject({ code: "log_unconfirmed" });
  const worker = await world.work(publicly);
  await worker.cycle(START + 10_000);
  await worker.stop();
  await expect(world.work()).rejects.toMatchObject({ code: "log_key_missing" });
  const other = { signers: [parseSigner(newPrivateKey("other.example.org"))] };
  await expect(world.work(other)).rejects.toMatchObject({ code: "log_key_changed" });
  await (await world.work({ ...publicly, opens: { publishLog: false } })).stop();
});

test("an older program does not lower the head's, and a newer one plans every installation again", async () => {
  await published();
  const newer = await world.work({ program: "1.1.0" });
  expect(newer.held.head.unfinished.since).toBe(0);
  await newer.cycle(START + 20_000);
  await newer.stop();
  const older = await world.work({ program: "1.0.0" });
  world.receive(1);
  await older.cycle(START + 30_000);
  await older.stop();
  expect((await stored()).program).toBe("1.1.0");
});
