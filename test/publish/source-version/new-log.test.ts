/** New logs, unknown installations, lost leases, lost puts and damaged objects (docs/spec/publishing.md#source-version). */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WatchedClock } from "../../../publish/clock/clock.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { storeWithPut } from "../../support/stepped-store.ts";
import { GrownChain } from "../activity/grown-chain.ts";
import { INSTALLATION, receive, START, World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const index = async () => JSON.parse(new TextDecoder().decode((await world.store.get("installations"))?.body));
const observations = async (id = INSTALLATION) =>
  JSON.parse(await world.body(`/v1/public/installations/${id}/observations`)).items.length as number;

test("the index names a new log before anything is put under it", async () => {
  world.receive(200);
  const worker = await world.work();
  await worker.cycle(START + 700_000);
  await worker.stop();
  const before = world.store.puts.length;
  const newLog = await world.work({ newLog: 2 });
  await newLog.cycle(START + 701_000);
  await newLog.stop();
  const puts = world.store.puts.slice(before).filter((key) => key !== "status.json");
  expect(puts[0]).toBe("installations");
  expect((await index()).log).toBe(2);
  expect(await observations()).toBeGreaterThan(0);
  // The next run continues it without any flag.
  const next = await world.work({ state: "other" });
  await next.cycle(START + 702_000);
  await next.stop();
  expect(await observations()).toBeGreaterThan(0);
  expect(world.store.puts).toContain("v1/public/installations/~wheel-1/observations/2/1");
});

test("a run that cannot name its new log in the index puts nothing", async () => {
  world.receive(200);
  const worker = await world.work();
  await worker.cycle(START + 700_000);
  await worker.stop();
  const before = world.store.puts.length;
  const newLog = await world.work({ newLog: 2 });
  world.store.failPuts = (key) => key === "installations";
  const { rows } = await newLog.cycle(START + 701_000);
  expect(rows.map(({ key, action }) => [key, action])).toEqual([["installations", "failed"]]);
  const puts = world.store.puts.slice(before).filter((key) => key !== "status.json");
  expect(new Set(puts)).toEqual(new Set(["installations"]));
  await newLog.stop();
  // The next run knows nothing of it, and an older ledger is refused as ever.
  world.store.failPuts = undefined;
  const ledgerPath = join(world.folder, "older.db");
  const ledger = openLedgerForIntake(ledgerPath);
  receive(ledger, 100, { rowId: 1, id: INSTALLATION });
  ledger.close();
  const next = await world.work({ ledgerPath });
  expect((await next.cycle(START + 702_000)).failures.map(({ code }) => code)).toEqual(["ledger_behind"]);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"200"');
  await next.stop();
});

test("readers get 503 for the observations of a new log that has a name and nothing else", async () => {
  world.receive(200);
  const worker = await world.work();
  await worker.cycle(START + 700_000);
  await worker.stop();
  const newLog = await world.work({ newLog: 2 });
  world.store.failPuts = (key) => key.startsWith("v1/public/");
  await newLog.cycle(START + 701_000);
  await newLog.stop();
  expect((await index()).log).toBe(2);
  const url = `/v1/public/installations/${INSTALLATION}/observations`;
  expect((await world.read(url)).status).toBe(503);
  world.store.failPuts = undefined;
  const next = await world.work({ state: "other" });
  await next.cycle(START + 702_000);
  await next.stop();
  expect(await observations()).toBe(100);
});

/** Writes another ledger: some receipts of each installation, which are the first ones of the world's. */
function otherLedger(receipts: Readonly<Record<string, number>>): string {
  const path = join(world.folder, "other.db");
  const ledger = openLedgerForIntake(path);
  for (const [id, count] of Object.entries(receipts)) receive(ledger, count, { rowId: Number(id.slice(-1)), id });
  ledger.close();
  return path;
}

test("the index of a new log lists the installations of the new ledger, also after it was lost", async () => {
  world.receive(3);
  world.receive(2, 2, "wheel-2");
  world.receive(2, 3, "wheel-3");
  const worker = await world.work();
  await worker.cycle(START + 10_000);
  await worker.stop();
  const ledgerPath = otherLedger({ "wheel-1": 1, "wheel-3": 1 });
  // The first index lists them all. Until the rest is stored, readers of a listed installation get 503 and not an empty page.
  const first = await world.work({ ledgerPath, newLog: 2, state: "other" });
  let indexes = 0;
  world.store.failPuts = (key) => (key === "installations" ? indexes++ > 0 : key.startsWith("v1/public/"));
  await first.cycle(START + 11_000);
  expect((await index()).installations).toEqual(["wheel-1", "wheel-3"]);
  await first.stop();
  world.store.failPuts = undefined;
  for (const state of ["other", "lost"]) {
    const next = await world.work({ ledgerPath, state });
    await next.cycle(START + 50_000);
    await next.stop();
    expect(await index()).toMatchObject({ log: 2, installations: ["wheel-1", "wheel-3"] });
    expect(await Promise.all(["wheel-1", "wheel-2", "wheel-3"].map(observations))).toEqual([1, 0, 1]);
    expect(await world.body("/v1/public/installations/wheel-2/telemetry")).toContain('"offline"');
    await world.store.delete("installations");
  }
});

test("a holder that lacks facts keeps newer responses of the last holder, whose clock was behind", async () => {
  world.receive(10);
  // By this clock the lease has not expired, so its holder goes on.
  const clock = new WatchedClock({ wall: () => START, monotonic: () => START });
  const last = await world.work({ clock });
  await last.cycle(START + 10_000);
  world.receive(20);
  const ledgerPath = otherLedger({ "wheel-1": 12 });
  const { store } = world;
  // The last holder does not know yet that the lease is lost. It publishes 30 receipts just before a put of the next holder.
  await store.delete("status.json");
  let waits = true;
  const late = storeWithPut(store, async (key, ...put) => {
    if (waits && key === TELEMETRY_KEY) {
      waits = false;
      await last.cycle(START + 11_000);
    }
    return store.put(key, ...put);
  });
  const next = await world.work({ state: "next", store: late, ledgerPath });
  await next.cycle(START + 20_000);
  const { failures } = await next.cycle(START + 60_000);
  expect(failures.map(({ code }) => code)).toEqual(["ledger_behind"]);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"30"');
  expect(await observations()).toBe(30);
  await next.stop();
  last.kill();
});

test.each([
  { count: 1, known: "wheel-1" },
  { count: 10, known: "wheel-1, w-2, w-3, w-4, w-5, w-6, w-7, w-8, w-9, w-10" },
  { count: 12, known: "wheel-1, w-2, w-3, w-4, w-5, w-6, w-7, w-8, w-9, w-10 and 2 others" },
])("a configured installation that is not one of $count in the ledger gets a warning", async ({ count, known }) => {
  world.receive(3);
  for (let n = 2; n <= count; n++) receive(world.ledger, 1, { rowId: n, id: `w-${n}` });
  const worker = await world.work({ installationId: "whell-1" });
  const { warnings } = await worker.cycle(START + 20_000);
  expect(warnings.map(({ code, message }) => [code, message])).toEqual([
    ["unknown_installation", `the ledger has no installation whell-1: it has ${known}`],
  ]);
});

test("after a lost lease object, epochs rise above those of the stored objects", async () => {
  world.receive(3);
  for (let n = 0; n < 4; n++) {
    const worker = await world.work({ state: `state ${n}` });
    await worker.cycle(START + 20_000 + n);
    await worker.stop();
    world.receive(1);
  }
  await world.store.delete("status.json");
  for (const at of [30_000, 31_000]) {
    const worker = await world.work({ state: `after ${at}` });
    const report = await worker.cycle(START + at);
    expect(report.rows.filter(({ action }) => action === "failed")).toEqual([]);
    await worker.stop();
    world.receive(1);
  }
  const { epoch } = JSON.parse(new TextDecoder().decode((await world.store.get("status.json"))?.body));
  expect(epoch).toBeGreaterThan(4);
  expect(await world.body("/v1/public/telemetry")).toContain('"cumulativeWorkUnits":"8"');
});

test("a head is put only after the constant response that it names, as soon as the store accepts it", async () => {
  const chain = new GrownChain();
  chain.pass(START);
  const worker = await world.work({ chain });
  const constant = "v4/public/onchain/unavailable";
  world.store.failPuts = (key) => key === constant;
  await worker.cycle(START + 10_000);
  expect(await world.store.get("v4/public/onchain")).toBeUndefined();
  world.store.failPuts = undefined;
  chain.pass(START + 15_000);
  await worker.cycle(START + 15_000);
  expect(await world.store.get(constant)).toBeDefined();
  // After a failure the head waits for half a minute, or for a change.
  await worker.cycle(START + 45_000);
  expect(await world.body("/v4/public/onchain", START + 620_000)).toContain('"indexer_unavailable"');
});

/** Published from a second log, and then the index is lost. */
async function lostIndexOfSecondLog(): Promise<void> {
  world.receive(200);
  const first = await world.work();
  await first.cycle(START + 700_000);
  await first.stop();
  const newLog = await world.work({ newLog: 2 });
  await newLog.cycle(START + 701_000);
  await newLog.stop();
  await world.store.delete("installations");
}

test("a deleted index is rewritten with the log of the stored checkpoint", async () => {
  await lostIndexOfSecondLog();
  const worker = await world.work({ state: "lost" });
  expect((await worker.cycle(START + 702_000)).failures).toEqual([]);
  expect(await index()).toMatchObject({ log: 2, installations: [INSTALLATION] });
});

test("a new log has the number after the published one, even if the index was deleted", async () => {
  await lostIndexOfSecondLog();
  for (const newLog of [1, 2, 4]) {
    await expect(world.work({ state: "lost", newLog })).rejects.toMatchObject({
      code: "new_log_not_next",
    });
  }
  const worker = await world.work({ state: "lost", newLog: 3 });
  expect((await worker.cycle(START + 702_000)).failures).toEqual([]);
  expect(await index()).toMatchObject({ log: 3, installations: [INSTALLATION] });
});
