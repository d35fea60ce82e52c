/**
 * Two machines without a shared disk: each follows one replicated stream into its own ledger and publishes to one bucket
 * (docs/machines.md). Every part is killed once while facts arrive and a reader polls.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readHead } from "../../../publish/head/head.ts";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { receipt } from "../../ledger/samples.ts";
import { freePort } from "../../support/free-port.ts";
import { stop, until } from "../../support/processes.ts";
import { type RunningCli, runningCli } from "../../support/running-cli.ts";
import { configuredFolder, sharedFolder } from "../../support/test-folder.ts";
import { type Running, startOver, useCredentials } from "../commands.ts";
import { s3Store } from "../stores/s3-store.ts";
import { useS3Server } from "../use-servers.ts";
import { type FollowedLedger, ledgerAt } from "./followed-ledger.ts";
import { type NatsCluster, type NatsServer, publisherOf, startNatsCluster } from "./nats.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

const FACTS_PER_SECOND = 20;
/** The pause between two requests of the reader, and between two looks at the lease. */
const POLL_MS = 100;
const TAKEOVER_LIMIT_MS = 120_000;
const shared = sharedFolder();
const bucket = useS3Server();
let cluster: NatsCluster;
beforeAll(async () => {
  cluster = await startNatsCluster(shared);
});
afterAll(() => cluster?.stop());

interface Machine {
  readonly ledger: FollowedLedger;
  /** Its network to each of the servers. */
  readonly networks: readonly TcpProxy[];
  ingest(): RunningCli;
  publish(): Running;
}

async function machine(store: S3Store, name: string, order: readonly number[]): Promise<Machine> {
  const folder = join(configuredFolder(), name);
  mkdirSync(folder);
  const networks = await Promise.all(order.map((n) => startTcpProxy((cluster.servers[n] as NatsServer).port)));
  onTestFinished(async () => void (await Promise.all(networks.map((network) => network.stop()))));
  const hosts = networks.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const path = join(folder, "ledger.db");
  return {
    ledger: ledgerAt(path),
    networks,
    ingest: () => runningCli(["ingest", "--follow", `nats://${hosts}/FACTS`, "--ledger", path], folder),
    publish() {
      const sources = ["--installation-id", "wheel-1", "--ledger", path, "--state", join(folder, "state")];
      const publisher = startOver(store, bucket().endpoint, folder, ["publish", ...sources]);
      onTestFinished(() => stop(publisher.process));
      return publisher;
    },
  };
}

test("no part's death loses, repeats or reorders a fact, and no reader sees anything older or torn", async () => {
  useCredentials(bucket());
  const store = s3Store(bucket());
  const publisher = await publisherOf(cluster.servers, { replicas: 3, pingInterval: 1000 });
  onTestFinished(() => publisher.connection.close());
  const machines = [await machine(store, "one", [0, 1, 2]), await machine(store, "two", [2, 1, 0])] as const;
  const [one, two] = machines;
  let epoch = 0;
  const takenOver = (what: string) =>
    until(
      what,
      async () => {
        const next = (await readHead(store))?.head?.lease.epoch ?? 0;
        const isLater = next > epoch;
        epoch = next;
        return isLater;
      },
      TAKEOVER_LIMIT_MS,
      POLL_MS,
    );
  const waits = (what: string, { output }: Running) =>
    until(what, async () => output().includes("standby: another publisher"), TAKEOVER_LIMIT_MS, POLL_MS);
  let ingest = one.ingest();
  const other = two.ingest();
  const facts = publishFacts(publisher.stream);
  await one.ledger.reaches(1);
  await two.ledger.reaches(1);
  const first = one.publish();
  await takenOver("the first publisher holds the lease");
  const second = two.publish();
  await waits("the lease has a standby", second);
  const reader = await startReader(store);

  const servingOn = async () => {
    const reached = facts.acknowledged();
    await until("the stream accepts facts", () => Promise.resolve(facts.acknowledged() > reached + 5));
    const said = () => `${ingest.output()}\n${other.output()}`;
    for (const { ledger } of machines)
      await ledger.reaches(facts.acknowledged()).catch((error: Error) => expect.fail(`${error.message}\n${said()}`));
  };

  // The stream's leader, then another server, then a server that hangs.
  const leaderOf = async () => {
    const { leader } = (await publisher.manager.streams.info("FACTS")).cluster ?? {};
    return cluster.servers[Number(leader?.slice(-1)) - 1] as NatsServer;
  };
  const leader = await leaderOf();
  await leader.stop();
  first.process.kill("SIGKILL");
  await servingOn();
  leader.start();
  await ingest.ended("SIGKILL");
  ingest = one.ingest();
  await takenOver("the second publisher has taken over");
  const third = one.publish();
  const isAwaited = waits("the lease has a standby again", third);
  await Promise.race([isAwaited, third.ended.then(() => expect.fail(third.output()))]);
  const follower = cluster.servers.find((server) => server !== leader) as NatsServer;
  await follower.stop();
  second.process.kill("SIGKILL");
  await servingOn();
  follower.start();
  await takenOver("the third publisher has taken over");
  const hanging = await leaderOf();
  hanging.process().kill("SIGSTOP");
  await servingOn();
  hanging.process().kill("SIGCONT");
  await servingOn();

  // The network of one machine. One between servers is not cut: replicas of nats-server 2.9 then may differ
  // (docs/machines.md).
  for (const network of one.networks) network.cut();
  await ingest.printed("stream_unavailable");
  for (const network of one.networks) network.mend();
  await servingOn();

  const count = await facts.end();
  for (const { ledger } of machines) {
    await ledger.reaches(facts.acknowledged());
    expect(ledger.receipts()).toBe(count);
  }
  expect(one.ledger.log()).toEqual(two.ledger.log());
  await until("the reader has the last fact", () => Promise.resolve(reader.newest() === instantOf(count)));
  expect(reader.complaints()).toEqual([]);
  expect(third.process.exitCode, third.output()).toBeNull();
  expect(ingest.process.exitCode, ingest.output()).toBeNull();
});

const FIRST_AT = Date.now();

function instantOf(n: number): string {
  return new Date(FIRST_AT + n).toISOString();
}

interface Facts {
  /** The last message that the stream has acknowledged. */
  acknowledged(): number;
  /** Returns the number of facts. */
  end(): Promise<number>;
}

/** Publishes facts at a steady pace, each until the stream has acknowledged it. */
function publishFacts(stream: Awaited<ReturnType<typeof publisherOf>>["stream"]): Facts {
  let acknowledged = 0;
  let sent = 0;
  const ending = new AbortController();
  const done = (async () => {
    const began = performance.now();
    for (let n = 1; !ending.signal.aborted; n++) {
      const late = performance.now() - began - (n * 1000) / FACTS_PER_SECOND;
      if (late < 0) await wait(-late);
      const text = JSON.stringify(receipt(n, { receivedAt: instantOf(n) }));
      // The ledger drops a repetition. Ids would make replicas of nats-server 2.9 differ (docs/machines.md).
      const publish = () => stream.publish("facts.wheel-1", text, { timeout: 1000 });
      await until(`fact ${n} is acknowledged`, async () => {
        acknowledged = (await publish()).seq;
        return true;
      });
      sent = n;
    }
    return sent;
  })();
  return {
    acknowledged: () => acknowledged,
    end() {
      ending.abort();
      return done;
    },
  };
}

interface Reader {
  newest(): string;
  complaints(): readonly string[];
}

/** Polls a shim over the bucket. */
async function startReader(store: S3Store): Promise<Reader> {
  const port = await freePort();
  const folder = configuredFolder();
  const shim = startOver(store, bucket().endpoint, folder, ["serve", "--port", String(port)]);
  onTestFinished(() => stop(shim.process));
  const url = `http://127.0.0.1:${port}/v1/public/telemetry`;
  await until("the shim responds", async () => (await fetch(url)).ok);
  const complaints: string[] = [];
  let newest = "";
  const ending = new AbortController();
  const polling = (async () => {
    while (!ending.signal.aborted) {
      const response = await fetch(url);
      const text = await response.text();
      const { receivedAt } = response.ok ? (JSON.parse(text) as { receivedAt: string }) : { receivedAt: "" };
      if (!response.ok) complaints.push(`${response.status}: ${text}`);
      else if (receivedAt < newest) complaints.push(`${receivedAt} after ${newest}`);
      else newest = receivedAt;
      await wait(POLL_MS);
    }
  })().catch((error: unknown) => complaints.push(String(error)));
  onTestFinished(async () => {
    ending.abort();
    await polling;
  });
  return { newest: () => newest, complaints: () => complaints };
}
