/** `ingest --follow nats://…` with a real server (docs/spec/intake.md#stream). */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { StreamConfig } from "@nats-io/jetstream";
import SqliteDatabase from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { receipt } from "../../ledger/samples.ts";
import { runCli } from "../../support/cli.ts";
import { until } from "../../support/processes.ts";
import { type RunningCli, runningCli } from "../../support/running-cli.ts";
import { configuredFolder, sharedFolder } from "../../support/test-folder.ts";
import { ledgerAt } from "./followed-ledger.ts";
import { type NatsServer, type Publisher, publisherOf, startNats } from "./nats.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

const shared = sharedFolder();
let server: NatsServer;
let publisher: Publisher;
let folder: string;
beforeAll(async () => {
  server = await startNats(shared);
  publisher = await publisherOf([server]);
});
afterAll(async () => {
  await publisher?.connection.close();
  await server?.stop();
});
beforeEach(async () => {
  folder = configuredFolder();
  await publisher.manager.streams.delete("FACTS");
  await publisher.manager.streams.add({ name: "FACTS", subjects: ["facts.>"] });
});

const address = () => `nats://127.0.0.1:${server.port}/FACTS`;
const follow = (...flags: string[]): RunningCli => runningCli(["ingest", "--follow", address(), ...flags], folder);
/** Runs to its end: the command fails by itself. */
const followToEnd = (...flags: string[]) => runCli(["ingest", "--follow", address(), ...flags], folder);
const text = (n: number, changes = {}) => JSON.stringify(receipt(n, changes));

const ledgerOf = (name = ".noonmark/ledger.db") => ledgerAt(join(folder, name));
const receipts = () => ledgerOf().receipts();
const taken = (n: number, name?: string) => ledgerOf(name).reaches(n);

test("messages of one or more lines are taken once, across SIGKILL, and rejected lines name their message", async () => {
  await publisher.publish(text(1), `${text(2)}\r\n\n${text(3)}`, "", `nonsense\n${text(4)}\n[]\n`);
  const first = follow("--rejects", "rejects.ndjson");
  await taken(4);
  await publisher.publish(text(5));
  await taken(5);
  await first.ended("SIGKILL");
  await publisher.publish(text(6), text(6));
  const second = follow("--json");
  await taken(7);
  expect(JSON.parse((await second.ended("SIGTERM")).stdout)).toMatchObject({ accepted: 1, duplicate: 1, rejected: 0 });
  expect(receipts()).toBe(6);
  const rejects = readFileSync(join(folder, "rejects.ndjson"), "utf8").trimEnd().split("\n");
  expect(rejects).toEqual([
    '{"sequence":4,"line":1,"code":"malformed_json","field":null,"raw":"nonsense"}',
    '{"sequence":4,"line":3,"code":"malformed_json","field":null,"raw":"[]"}',
  ]);
  expect(first.output()).toContain(
    '"sequence":4,"rejected":2,"msg":"line 1: malformed_json -: the line is not JSON"}\n',
  );
});

test("a ledger that follows a stream refuses files, other streams and flags that would decide otherwise", async () => {
  await publisher.publish(text(1));
  const following = follow();
  await taken(1);
  expect(await following.ended("SIGINT")).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("warn") });
  const refused = { exitCode: 2, stderr: expect.stringContaining("ledger_follows_stream") };
  expect(await runCli(["ingest", "-"], folder, text(2))).toMatchObject(refused);
  expect(await runCli(["ingest", "--follow", "facts.ndjson"], folder)).toMatchObject(refused);
  const other = address().replace("FACTS", "OTHER");
  expect(await runCli(["ingest", "--follow", other], folder)).toMatchObject(refused);
  expect(await followToEnd("--subject", "facts.wheel-1")).toMatchObject(refused);
  for (const flag of ["--strict", "--allow-future", "--retry", "--yes"])
    expect(await followToEnd(flag)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(flag) });
  expect(await followToEnd("--from-sequence", "1")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("usage"),
  });
  expect(receipts()).toBe(1);
});

test("messages that are gone stop the command with the ledger as it is, until the operator accepts the loss", async () => {
  await publisher.publish(text(1), text(2));
  const following = follow();
  await taken(2);
  await publisher.publish(text(3));
  await taken(3);
  await following.ended("SIGTERM");
  await publisher.publish(text(4), text(5), text(6));
  await publisher.manager.streams.deleteMessage("FACTS", 5);
  const gap = { exitCode: 1, stderr: expect.stringMatching(/"stream_gap".*"message 5 is gone/) };
  expect(await followToEnd()).toMatchObject(gap);
  expect(ledgerOf().value("SELECT sequence FROM followed_stream")).toBe(4);
  await publisher.manager.streams.purge("FACTS", { seq: 6 });
  expect(await followToEnd()).toMatchObject(gap);
  const accepted = follow("--from-sequence", "6");
  await taken(6);
  await accepted.ended("SIGTERM");
  expect(receipts()).toBe(5);
});

test("a stream that was made again, or that lost its tail, is stream_replaced", async () => {
  await publisher.publish(text(1), text(2));
  const following = follow();
  await taken(2);
  const { manager } = publisher;
  await manager.streams.delete("FACTS");
  await until("a warning", () => Promise.resolve(following.output().includes("stream_unavailable")));
  await manager.streams.add({ name: "FACTS", subjects: ["facts.>"] });
  await publisher.publish(text(1), text(2), text(3));
  const replaced = { exitCode: 1, stderr: expect.stringContaining("stream_replaced") };
  expect(await following.ended()).toMatchObject(replaced);
  expect(await followToEnd()).toMatchObject(replaced);
  expect(receipts()).toBe(2);

  const second = follow("--from-sequence", "3");
  await taken(3);
  await second.ended("SIGTERM");
  // Another message of the same sequence, as after a power cut of a server without sync_interval.
  const db = new SqliteDatabase(join(folder, ".noonmark/ledger.db"));
  db.exec("UPDATE followed_stream SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x')");
  expect(await followToEnd()).toMatchObject(replaced);
  db.exec("UPDATE followed_stream SET sequence = 9");
  expect(await followToEnd()).toMatchObject(replaced);
  db.close();
});

test("a fact is in the future by the clock of the stream, and a host whose clock is wrong waits", async () => {
  const now = Date.now();
  const later = (ms: number) => ({ receivedAt: new Date(now + ms).toISOString() });
  await publisher.publish(text(1, later(30_000)), text(2, later(80_000)));
  for (const offset of ["-90s", "+90s"]) {
    const wrong = runningCli(["ingest", "--follow", address()], folder, fakeTime(offset));
    expect(await wrong.printed("stream_clock")).toContain("and this clock says");
    await wrong.ended("SIGTERM");
  }
  expect(receipts()).toBe(0);
  // By these hosts' clocks both facts would be accepted, or neither.
  for (const offset of ["-50s", "+50s"]) {
    const name = `${offset}.db`;
    const flags = ["--ledger", join(folder, name)];
    const following = runningCli(["ingest", "--follow", address(), ...flags], folder, fakeTime(offset));
    await taken(2, name);
    expect((await following.ended("SIGTERM")).stdout).toMatch(/^1 accepted, 0 duplicate, 1 rejected/);
    expect(ledgerOf(name).value("SELECT telemetry_id FROM receipt")).toBe(receipt(1).telemetryId);
  }
});

function fakeTime(offset: string): Record<string, string> {
  return {
    LD_PRELOAD: "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    FAKETIME: offset,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

test("with a filter only its subjects are taken, and the stream must be unable to lose messages without a trace", async () => {
  const { manager, stream } = publisher;
  for (const [n, subject] of ["facts.a", "facts.b", "facts.a", "facts.b"].entries())
    await stream.publish(subject, text(n + 1));
  expect(await followToEnd("--subject", "facts.a")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("stream_unfit"),
  });
  await manager.streams.update("FACTS", { deny_delete: true, deny_purge: true });
  rmSync(join(folder, ".noonmark"), { recursive: true });
  const following = follow("--subject", "facts.a");
  await taken(3);
  await stream.publish("facts.b", text(5));
  await stream.publish("facts.a", text(6));
  await taken(6);
  await following.ended("SIGTERM");
  expect(receipts()).toBe(3);
});

test("a stream from whose middle a message can vanish is refused with the setting, and the ledger stays as it is", async () => {
  const { manager } = publisher;
  const limits = { deny_delete: true, deny_purge: true };
  const unfit: readonly (readonly [string, Partial<StreamConfig>, filter?: boolean])[] = [
    ["retention is interest", { retention: "interest" }],
    ["retention is interest", { retention: "interest", ...limits }, true],
    ["retention is workqueue", { retention: "workqueue" }],
    ["it is a mirror", { mirror: { name: "ORIGIN" } }],
    ["it has sources", { sources: [{ name: "ORIGIN", filter_subject: "origin.a" }] }],
    ["deny_delete is off", { deny_purge: true }, true],
    ["deny_purge is off", { deny_delete: true }, true],
    ["max_msgs_per_subject is 5", { ...limits, max_msgs_per_subject: 5 }, true],
    ["allow_rollup_hdrs is on", { deny_delete: true, allow_rollup_hdrs: true }, true],
    ["maximum consumers limit reached", { max_consumers: 1 }],
  ];
  await manager.streams.add({ name: "ORIGIN", subjects: ["origin.>"] });
  onTestFinished(async () => void (await manager.streams.delete("ORIGIN")));
  for (const [setting, config, isFiltered] of unfit) {
    await manager.streams.delete("FACTS");
    await manager.streams.add({ name: "FACTS", ...(config.mirror ? {} : { subjects: ["facts.>"] }), ...config });
    if (config.max_consumers === 1) await manager.consumers.add("FACTS", { durable_name: "other", ack_policy: "none" });
    const { exitCode, stderr } = await followToEnd(...(isFiltered === true ? ["--subject", "facts.wheel-1"] : []));
    expect
      .soft({ setting, exitCode, stderr })
      .toMatchObject({ exitCode: 1, stderr: expect.stringContaining("stream_unfit") });
    expect.soft(stderr).toContain(setting);
  }
  expect(ledgerOf().value("SELECT count(*) FROM followed_stream")).toBe(0);
});

test("what a lying server says of a message is never committed, and the position stays", async () => {
  // Stream sequence, delivery sequence, time and pending of the reply's subject.
  const ACK = /(\$JS\.ACK\.FACTS\.\w+\.1)\.(\d+)\.(\d+)\.(\d+)\.(\d+)/g;
  const lies: Record<string, (sequence: string, delivery: string, time: string, pending: string) => string> = {
    NaN: (_, delivery, time, pending) => `NaN.${delivery}.${time}.${pending}`,
    "10^20": (_, delivery, time, pending) => `${10n ** 20n}.${delivery}.${time}.${pending}`,
    "2^53 - 1": (_, delivery, time, pending) => `${2n ** 53n - 1n}.${delivery}.${time}.${pending}`,
    "a jump": (sequence, delivery, time, pending) => `${Number(sequence) + 1_000_000}.${delivery}.${time}.${pending}`,
    "the last one": (sequence, delivery, time, pending) => `${Number(sequence) - 1}.${delivery}.${time}.${pending}`,
    "no time": (sequence, delivery, _, pending) => `${sequence}.${delivery}.xyz.${pending}`,
    "a long time": (sequence, delivery, _, pending) => `${sequence}.${delivery}.${"9".repeat(30)}.${pending}`,
    "a fraction": (sequence, delivery, _, pending) => `${sequence}.${delivery}.1.5.${pending}`,
    "an old time": (sequence, delivery, _, pending) => `${sequence}.${delivery}.-1700000000000000000.${pending}`,
    "no pending": (sequence, delivery, time) => `${sequence}.${delivery}.${time}.x`,
  };
  await publisher.manager.streams.update("FACTS", { deny_delete: true, deny_purge: true });
  await publisher.publish(text(1), text(2));
  for (const [what, lie] of Object.entries(lies)) {
    for (const filter of [[], ["--subject", "facts.wheel-1"]]) {
      const ledger = join(folder, `${what}${filter.length}.db`);
      const proxy = await startTcpProxy(server.port, (bytes) =>
        bytes.replace(ACK, (_, head, ...rest: [string, string, string, string]) => `${head}.${lie(...rest)}`),
      );
      const lying = [`nats://127.0.0.1:${proxy.port}/FACTS`, ...filter, "--ledger", ledger];
      const following = runningCli(["ingest", "--follow", ...lying], folder);
      await following.printed(/stream_unavailable|noonmark: \w+: /);
      const { exitCode, stderr } = await following.ended("SIGTERM");
      expect
        .soft({ what, exitCode, stderr })
        .toMatchObject({ exitCode: 0, stderr: expect.stringContaining("stream_unavailable") });
      expect.soft(stderr).not.toMatch(/ at .*:\d+:\d+/);
      expect.soft(ledgerAt(ledger).value("SELECT sequence FROM followed_stream")).toBe(0);
      await proxy.stop();
    }
  }
});
