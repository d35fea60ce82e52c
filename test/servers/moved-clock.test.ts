/**
 * A black-box test of a publisher whose wall clock jumps while it runs (docs/spec/publishing.md#clocks).
 * libfaketime changes the process's wall clock and leaves its monotonic clock unchanged.
 */
import type { ChildProcess } from "node:child_process";
import events from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { runCli, startCli } from "../support/cli.ts";
import { stop, until } from "../support/processes.ts";
import { putResponse } from "../support/publish-response.ts";
import { useCredentials } from "./commands.ts";
import { type S3Server, startRadosgw } from "./radosgw.ts";
import { makeBucket, s3Store } from "./stores/s3-store.ts";

const HOUR = 3_600;
/** Much less than an hour, and more than a busy machine needs between a put and the check. */
const NOW_MS = 600_000;

let radosgw: S3Server;
beforeAll(async () => {
  radosgw = await startRadosgw();
  await makeBucket(radosgw);
  useCredentials(radosgw);
});
afterAll(() => radosgw?.stop());

interface Scene {
  readonly settings: readonly string[];
  readonly store: ObjectStore;
  readonly publisher: ChildProcess;
  output(): string;
  /** Sets the offset of the publisher's wall clock. */
  move(seconds: number): void;
  receive(): Promise<void>;
  /** The instant for which the stored telemetry was computed, epoch ms. */
  publishedAt(): Promise<number>;
  status(): Promise<{ problems: string[] }>;
  /** Makes the publisher's wall clock run faster by this share. */
  slew(share: number): void;
  /** `publish --once` with another state, on the same machine. */
  once(settings: readonly string[]): Promise<{ exitCode: number | null; stderr: string }>;
  /** Starts the publisher again. */
  restart(): void;
}

async function withMovingClock(
  stored: (folder: string) => Promise<{ store: ObjectStore; settings: string[] }>,
  body: (scene: Scene) => Promise<void>,
  beginsAt = 0,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-moved-"));
  const { store, settings } = await stored(folder);
  const offset = join(folder, "offset");
  const move = (seconds: number) => writeFileSync(offset, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  let sequence = 0;
  const receive = async () => {
    sequence++;
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const now = new Date(Date.now() + (sequence === 1 ? beginsAt * 1000 : 0)).toISOString();
    const line = {
      type: "receipt",
      installationId: "wheel-1",
      telemetryId: id(sequence),
      bootId: id(1e6),
      counterEpoch: id(2e6),
      sequence,
      observedAt: now,
      receivedAt: now,
      cumulativeWorkUnits: String(sequence),
      provenance: "hardware",
      softwareVersion: "1.0",
      coreStatus: "ACTIVE",
      rpmMilli: 1,
      speedMmPerSecond: 1,
      distanceMm: sequence,
    };
    const { exitCode, stderr } = await runCli(
      ["ingest", "-", "--ledger", "ledger.db"],
      folder,
      `${JSON.stringify(line)}\n`,
    );
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  };
  move(beginsAt);
  await receive();
  const args = ["publish", "--installation-id", "wheel-1", "--ledger", "ledger.db", ...settings];
  let output = "";
  const started: ChildProcess[] = [];
  const begin = () => {
    const child = startCli(args, folder, byClockIn(offset));
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data));
    started.push(child);
    return child;
  };
  const publisher = begin();
  const once = async (given: readonly string[]) => {
    const run = [
      "publish",
      "--once",
      "--installation-id",
      "wheel-1",
      "--ledger",
      "ledger.db",
      "--state",
      "beside",
      ...given,
    ];
    const child = startCli(run, folder, byClockIn(offset));
    let stderr = "";
    child.stderr.on("data", (data: Buffer) => (stderr += data));
    const [exitCode] = (await events.once(child, "exit")) as [number | null];
    return { exitCode, stderr };
  };
  const slew = (share: number) => writeFileSync(offset, `+0 x${1 + share}\n`);
  const publishedAt = async () => {
    const object = await store.get(TELEMETRY_KEY, { fresh: true });
    return (JSON.parse(object?.metadata["source-version"] ?? "{}") as { at?: number }).at ?? Number.NaN;
  };
  const status = async () => {
    const { stdout } = await runCli(["status", "--json", ...settings], folder);
    return JSON.parse(stdout.split("\n", 1)[0] ?? "") as { problems: string[] };
  };
  try {
    await until("it publishes", async () => (await publishedAt()) > 0);
    await body({
      settings,
      store,
      publisher,
      output: () => output,
      move,
      slew,
      once,
      restart: begin,
      receive,
      publishedAt,
      status,
    });
  } catch (error) {
    throw new Error(`the publisher's log: ${output}`, { cause: error });
  } finally {
    for (const child of started) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The environment of a process whose wall clock has the offset in the file. */
function byClockIn(offset: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_NO_WARNINGS: "1",
    LD_PRELOAD: libfaketime(),
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

function libfaketime(): string {
  const [folder = ""] = readdirSync("/usr/lib").filter((name) => existsSync(`/usr/lib/${name}/faketime`));
  return `/usr/lib/${folder}/faketime/libfaketime.so.1`;
}

const inDirectory = async (folder: string) => {
  const path = join(folder, "public");
  return { store: await openStore(path, { write: true }), settings: ["--store", path] };
};
const inBucket = async () => {
  const store = s3Store(radosgw);
  return { store, settings: ["--store", store.place, "--s3-provider", "ceph", "--s3-endpoint", radosgw.endpoint] };
};

/** Over a directory the clock must be steady for a minute first. */
const STEADY_AND_SLACK_MS = 100_000;
const ONLINE_LIMIT_MS = 120_000;

test.concurrent.each([
  ["a directory", "an hour ahead for 15 s", inDirectory, { by: HOUR, seconds: 15 }],
  ["a directory", "a day ahead for 15 s", inDirectory, { by: 24 * HOUR, seconds: 15 }],
  ["a directory", "an hour behind for 12 s", inDirectory, { by: -HOUR, seconds: 12 }],
  ["a bucket", "an hour ahead for 15 s", inBucket, { by: HOUR, seconds: 15 }],
  ["a bucket", "a day ahead for 15 s", inBucket, { by: 24 * HOUR, seconds: 15 }],
  ["a bucket", "an hour behind for 12 s", inBucket, { by: -HOUR, seconds: 12 }],
] as const)("over %s nothing is published with a clock that is %s", async (_, _way, stored, { by, seconds }) => {
  await withMovingClock(stored, async ({ move, receive, publishedAt, status, publisher, output, settings, once }) => {
    move(by);
    const rightAt = Date.now() + seconds * 1000;
    await until("the log reports the moved clock", async () => output().includes('"code":"clock_moved"'));
    await until("the lease is released", async () =>
      (await status()).problems.some((one) => one.startsWith("clock_moved: ")),
    );
    const before = await publishedAt();
    await receive();
    // A run beside it, on the same machine with the same clock.
    const beside = await once(settings);
    expect([beside.exitCode, beside.stderr]).toEqual([
      1,
      expect.stringMatching(/noonmark: clock_(?:moved|skew|behind): /),
    ]);
    await until("the clock is right again", async () => Date.now() >= rightAt);
    expect(await publishedAt()).toBe(before);
    move(0);
    const right = Date.now();
    await until("publishing goes on by itself", async () => (await publishedAt()) > before, STEADY_AND_SLACK_MS);
    console.log(
      `${_}, ${_way}: published again ${((Date.now() - right) / 1000).toFixed(1)} s after the clock was right`,
    );
    expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
    await until("status has no problem", async () => (await status()).problems.length === 0);
    expect(publisher.exitCode).toBeNull();
    expect(output()).not.toContain('"level":"fatal"');
    expect(Date.now() - right).toBeLessThan(ONLINE_LIMIT_MS);
  });
});

test.concurrent("a machine that boots years behind publishes by itself once its clock is right", async () => {
  await withMovingClock(inDirectory, async ({ move, receive, publishedAt, publisher, restart, output }) => {
    const before = await publishedAt();
    await stop(publisher);
    move(-6 * 365 * 24 * HOUR);
    restart();
    await until("it waits", async () => output().includes('"code":"clock_behind"'));
    await receive();
    move(0);
    await until("it publishes", async () => (await publishedAt()) > before, STEADY_AND_SLACK_MS);
    expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
  });
});

test.concurrent("a machine that slept for an hour publishes by itself after a steady minute", async () => {
  const body = async ({ move, receive, publishedAt, output }: Scene) => {
    const before = await publishedAt();
    // Asleep, neither clock counts. Awake, only the wall clock is an hour later.
    move(0);
    await until("the log reports the sleep", async () => output().includes("moved 3600 s ahead"));
    await receive();
    await until("it publishes", async () => (await publishedAt()) > before + NOW_MS, STEADY_AND_SLACK_MS);
    expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
  };
  await withMovingClock(inDirectory, body, -HOUR);
});

test.concurrent("slewing by 500 ppm is no move", async () => {
  await withMovingClock(inDirectory, async ({ slew, receive, publishedAt, output }) => {
    slew(500e-6);
    for (let times = 0; times < 3; times++) {
      const before = await publishedAt();
      await receive();
      await until("it publishes", async () => (await publishedAt()) > before);
    }
    expect(output()).not.toContain("clock_moved");
  });
});

test("a shim over a directory whose clock goes back an hour does not serve stale telemetry as online", async () => {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-moved-shim-"));
  const offset = join(folder, "offset");
  writeFileSync(offset, "+0\n");
  const store = await openStore(join(folder, "public"), { write: true });
  const successors = [{ from: Date.now() - 600_000, edits: [{ offset: 1, length: 6, text: "stale" }] }];
  await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"online"' }, successors);
  const args = ["serve", "--port", "0", "--store", join(folder, "public")];
  const shim = startCli(args, folder, byClockIn(offset));
  let output = "";
  for (const stream of [shim.stdout, shim.stderr]) stream.on("data", (data: Buffer) => (output += data));
  try {
    let url = "";
    await until("it serves", async () => (url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "") !== "");
    const telemetry = async () => (await fetch(`${url}/v1/public/telemetry`)).text();
    expect(await telemetry()).toBe('"stale"');
    writeFileSync(offset, "-3600\n");
    expect(await telemetry()).toBe('"stale"');
    await until("the shim reports the moved clock", async () => output.includes("clock_moved"));
    expect(await telemetry()).toBe('"stale"');
    writeFileSync(offset, "+0\n");
    expect(await telemetry()).toBe('"stale"');
  } finally {
    await stop(shim);
    rmSync(folder, { recursive: true, force: true });
  }
});
