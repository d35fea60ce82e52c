/** A waiting standby follows ledger and chain, so that its first cycle has nothing to catch up with. */
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hintOf } from "../../../bin/cli/hints.ts";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { Known } from "../../../publish/known.ts";
import { standby, waitForLease } from "../../../publish/lease/take.ts";
import { Publisher } from "../../../publish/publisher.ts";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { type Chain, noChain } from "../../../src/chain/chain.ts";
import { allPublications } from "../../../src/resources/publications.ts";
import { reader as chainReader, stage } from "../../support/chain/harness.ts";
import { scriptedRpc } from "../../support/chain/scripted-rpc.ts";
import { INSTALLATION, START, World } from "../world.ts";

let world: World;
let known: Known;
beforeEach(() => {
  world = new World();
  known = Known.open(join(world.folder, "standby"));
});
afterEach(() => {
  known.close();
  world.end();
});

function sources(chain: Chain): SourceReader {
  return new SourceReader({
    installationId: INSTALLATION,
    ledger: new LedgerSource(world.ledgerPath),
    projections: ownProjections(join(world.folder, "standby"), { whole: false }),
    chain,
    genesisTimestamp: undefined,
  });
}

const identity = { holder: crypto.randomUUID(), holderName: "standby" };
const candidate = () => standby({ store: world.store, clock: world.clock, identity, known });

/** Waits as `publish` does, and runs `eachPause` in each pause. */
function wait(reader: SourceReader, eachPause: () => Promise<void>, signal = new AbortController().signal) {
  return waitForLease(candidate(), {
    signal,
    follow: () => reader.follow(world.now),
    async pause(ms) {
      world.now += ms;
      await eachPause();
    },
    onWait: () => {},
    onSuccess: () => {},
    onOutage: () => {},
    onClock: () => {},
  });
}

async function firstCycle(reader: SourceReader, lease: NonNullable<Awaited<ReturnType<typeof wait>>>) {
  const options = {
    store: world.store,
    clock: world.clock,
    reader,
    known,
    publications: allPublications({ installationId: INSTALLATION, statisticsInterval: 30_000 }),
    concurrency: 4,
    newLog: undefined,
    force: false,
    program: "1.0.0",
    hintOf,
    minimumPutInterval: 0,
    signers: [],
    scrubInterval: 0,
  };
  const publisher = await Publisher.begin(options, lease);
  return publisher.cycle(world.now);
}

test("receipts that arrive while a standby waits are in its projections before it has the lease", async () => {
  world.receive(3);
  const holder = await world.work();
  const reader = sources(noChain());
  let pauses = 0;
  const lease = await wait(reader, async () => {
    // Everything that arrived in the previous pause.
    expect(reader.hasChanged()).toBe(false);
    world.receive(100);
    pauses++;
    if (pauses === 5) await holder.stop();
    else await holder.publisher.renewIfDue(undefined);
  });
  expect(lease?.epoch).toBe(2);
  expect(pauses).toBe(5);
  // Only the facts of its last pause remain.
  expect(reader.hasChanged()).toBe(true);
  await reader.follow(world.now);
  expect(reader.hasChanged()).toBe(false);
  reader.close();
});

test("a standby whose ledger is replaced while it waits still tries to take the lease", async () => {
  const holder = await world.work();
  const reader = sources(noChain());
  const stop = new AbortController();
  let pauses = 0;
  const replace = async () => {
    world.receive(2);
    world.ledger.pragma("wal_checkpoint(TRUNCATE)");
    copyFileSync(world.ledgerPath, `${world.ledgerPath}.new`);
    renameSync(`${world.ledgerPath}.new`, world.ledgerPath);
    if (++pauses === 3) stop.abort();
  };
  await wait(reader, replace, stop.signal);
  expect(pauses).toBe(3);
  holder.kill();
  reader.close();
});

describe.skipIf(NO_ANVIL !== undefined)(`over a chain${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("the first cycle after a takeover reads no block that the standby could read while it waited", async () => {
    await using on = await stage();
    await on.world.mine(60);
    await using rpc = await scriptedRpc(on.anvil.url);
    using chain = chainReader(on.world.deployment, [rpc.url], { begins: START });
    const reader = sources(chain.chain);
    const holder = await world.work({ publications: () => [] });
    let pauses = 0;
    const lease = await wait(reader, async () => {
      chain.now = world.now;
      await chain.poll();
      if (++pauses === 4) await holder.stop();
    });
    expect(lease?.epoch).toBe(2);
    if (lease === undefined) return;
    const methods: string[] = [];
    rpc.script = ({ method }) => void methods.push(method);
    const { rows } = await firstCycle(reader, lease);
    expect(methods).toEqual([]);
    expect(rows.find(({ key }) => key === "v4/public/onchain")).toMatchObject({ action: "created", status: 200 });
    const onchain = JSON.parse(await world.body("/v4/public/onchain"));
    expect(onchain.status).toBe("available");
    await chain.poll();
    expect(methods.filter((method) => method === "eth_getLogs").length).toBeLessThanOrEqual(1);
    reader.close();
  });
});
