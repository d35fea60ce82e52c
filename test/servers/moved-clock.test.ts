/**
 * A black-box test of a publisher whose wall clock jumps while it runs (docs/spec/publishing.md#clocks).
 * libfaketime changes the process's wall clock and leaves its monotonic clock unchanged.
 */
import type { ChildProcess } from "node:child_process";
import events from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  /** Starts a publisher on the same machine, with its state in this folder. */
  start(state: string): void;
  /** The statuses of telemetry that a reader got from a shim on the same machine, in order. */
  readonly seen: readonly string[];
}

/** The pause between two requests, so that scenes can run at the same time. */
const POLL_MS = 250;
/** The pause between two looks at something that takes seconds or a minute. */
const LOOK_MS = 500;

/** Reads telemetry all the time, through a shim with the moved clock, and judges it by the true time. */
class Reader {
  readonly seen: string[] = [];
  readonly #shim: ChildProcess;
  readonly #polls: Promise<void>;
  #ends = false;
  #fault: string | undefined;

  private constructor(shim: ChildProcess, url: string, trueTime: () => number) {
    this.#shim = shim;
    this.#polls = this.#poll(url, trueTime);
  }

  static async start(
    settings: readonly string[],
    folder: string,
    clock: NodeJS.ProcessEnv,
    trueTime: () => number,
  ): Promise<Reader> {
    const { shim, url } = await startShim(settings, folder, clock);
    return new Reader(shim, url, trueTime);
  }

  async #poll(url: string, trueTime: () => number): Promise<void> {
    let newest = "";
    while (!this.#ends) {
      const asked = trueTime();
      const response = await fetch(`${url}/v1/public/telemetry`);
      const { status, receivedAt } = (await response.json()) as { status: string; receivedAt: string };
      if (this.seen.at(-1) !== status) this.seen.push(status);
      const age = asked - Date.parse(receivedAt);
      if (status === "online" && age > ONLINE_LIMIT_MS) this.#fault ??= `online ${age} ms after the receipt`;
      if (receivedAt < newest) this.#fault ??= `the receipt of ${receivedAt} after that of ${newest}`;
      newest = receivedAt;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async end(): Promise<void> {
    this.#ends = true;
    await this.#polls;
    await stop(this.#shim);
  }

  /** Throws if the reader got an older receipt than before, or `online` for too long. */
  judge(): void {
    expect(this.#fault).toBeUndefined();
  }
}

async function startShim(settings: readonly string[], folder: string, clock: NodeJS.ProcessEnv) {
  const shim = startCli(["serve", "--port", "0", ...settings], folder, clock);
  let output = "";
  for (const stream of [shim.stdout, shim.stderr]) stream.on("data", (data: Buffer) => (output += data));
  let url = "";
  await until("it serves", async () => (url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "") !== "");
  return { shim, url, output: () => output };
}

async function withMovingClock(
  stored: (folder: string) => Promise<{ store: ObjectStore; settings: string[] }>,
  body: (scene: Scene) => Promise<void>,
  /** A machine that slept: its clock begins so many seconds from now, and is right then. */
  beginsAt = 0,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-moved-"));
  const { store, settings } = await stored(folder);
  const offset = join(folder, "offset");
  // After a sleep the right time comes with the move, so a reader's shim must follow at once.
  const clock = byClockIn(offset, beginsAt !== 0);
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
  const start = (state: string) => {
    const child = startCli([...args, "--state", state], folder, clock);
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data));
    started.push(child);
    return child;
  };
  const publisher = start("state");
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
    const child = startCli(run, folder, clock);
    let stderr = "";
    child.stderr.on("data", (data: Buffer) => (stderr += data));
    const [exitCode] = (await events.once(child, "exit")) as [number | null];
    return { exitCode, stderr };
  };
  const slew = (share: number) => writeFileSync(offset, `+0 x${1 + share}\n`);
  const publishedAt = async () => {
    const object = await store.get(TELEMETRY_KEY, { fresh: true });
    return Number(object?.metadata.at ?? Number.NaN);
  };
  const status = async () => {
    const { stdout } = await runCli(["status", "--json", ...settings], folder);
    return JSON.parse(stdout.split("\n", 1)[0] ?? "") as { problems: string[] };
  };
  const trueTime = () => Date.now() + (beginsAt === 0 ? 0 : Number.parseInt(readFileSync(offset, "utf8"), 10) * 1000);
  let reader: Reader | undefined;
  try {
    await until("it publishes", async () => (await publishedAt()) > 0);
    reader = await Reader.start(settings, folder, clock, trueTime);
    await body({
      seen: reader.seen,
      settings,
      store,
      publisher,
      output: () => output,
      move,
      slew,
      once,
      start,
      receive,
      publishedAt,
      status,
    });
    await reader.end();
    reader.judge();
  } catch (error) {
    throw new Error(`the publisher's log: ${output}`, { cause: error });
  } finally {
    await reader?.end();
    for (const child of started) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The environment of a process whose wall clock has the offset in the file. A look at the file is 200 times as
 * expensive as a look at the clock. So a process looks when a new second begins (a cache of 0 s), unless it is
 * `immediate`.
 */
function byClockIn(offset: string, immediate = false): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NODE_NO_WARNINGS: "1",
    LD_PRELOAD: libfaketime(),
    FAKETIME_TIMESTAMP_FILE: offset,
    ...(immediate ? { FAKETIME_NO_CACHE: "1" } : { FAKETIME_CACHE_DURATION: "0" }),
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
  await withMovingClock(
    stored,
    async ({ move, start, receive, publishedAt, status, publisher, output, settings, once, seen }) => {
      start("standby");
      await until("the standby waits", async () => output().includes("standby: another publisher holds the lease"));
      move(by);
      const rightAt = Date.now() + seconds * 1000;
      await until("the log reports the moved clock", async () => output().includes('"code":"clock_moved"'));
      const isReleased = async () => (await status()).problems.some((one) => one.startsWith("clock_moved: "));
      await until("the lease is released", isReleased, STEADY_AND_SLACK_MS, LOOK_MS);
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
      await until(
        "publishing goes on by itself",
        async () => (await publishedAt()) > before,
        STEADY_AND_SLACK_MS,
        LOOK_MS,
      );
      console.log(
        `${_}, ${_way}: published again ${((Date.now() - right) / 1000).toFixed(1)} s after the clock was right; readers saw ${seen.join(", ")}`,
      );
      expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
      const isWell = async () => (await status()).problems.length === 0;
      await until("status has no problem", isWell, STEADY_AND_SLACK_MS, LOOK_MS);
      expect(publisher.exitCode).toBeNull();
      expect(output()).not.toContain('"level":"fatal"');
      expect(Date.now() - right).toBeLessThan(ONLINE_LIMIT_MS);
    },
  );
});

const STORES = [
  ["a directory", inDirectory],
  ["a bucket", inBucket],
] as const;

test.concurrent.each(STORES)(
  "over %s slewing by 500 ppm is no move; a machine that boots years behind publishes once its clock is right",
  async (_, stored) => {
    await withMovingClock(stored, async ({ slew, move, receive, publishedAt, publisher, start, output, seen }) => {
      slew(500e-6);
      for (let times = 0; times < 3; times++) {
        const slewed = await publishedAt();
        await receive();
        await until("it publishes", async () => (await publishedAt()) > slewed);
      }
      expect(output()).not.toContain("clock_moved");
      await until("readers see the receipt", async () => seen.length > 0);
      expect(seen).toEqual(["online"]);

      const before = await publishedAt();
      await stop(publisher);
      move(-6 * 365 * 24 * HOUR);
      start("state");
      await until("it waits", async () => /"code":"clock_(?:behind|skew)"/.test(output()));
      await receive();
      move(0);
      await until("it publishes", async () => (await publishedAt()) > before, STEADY_AND_SLACK_MS, LOOK_MS);
      expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
    });
  },
);

test.concurrent("a machine that slept for an hour publishes by itself after a steady minute", async () => {
  const body = async ({ move, receive, publishedAt, output, seen }: Scene) => {
    const before = await publishedAt();
    await until("readers see the receipt", async () => seen.length === 1);
    // Asleep, neither clock counts. Awake, only the wall clock is an hour later.
    move(0);
    await until("the log reports the sleep", async () => output().includes("moved 3600 s ahead"));
    await until("readers see that the receipt is old", async () => seen.length === 2);
    await receive();
    await until("it publishes", async () => (await publishedAt()) > before + NOW_MS, STEADY_AND_SLACK_MS, LOOK_MS);
    expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
    await until("readers see the new receipt", async () => seen.length === 3);
    expect(seen).toEqual(["online", "stale", "online"]);
  };
  await withMovingClock(inDirectory, body, -HOUR);
});

test.concurrent.each(STORES)(
  "a shim over %s whose clock goes back an hour does not serve stale telemetry as online",
  async (_, stored) => {
    const folder = mkdtempSync(join(tmpdir(), "noonmark-moved-shim-"));
    const offset = join(folder, "offset");
    writeFileSync(offset, "+0\n");
    const { store, settings } = await stored(folder);
    const successors = [{ from: Date.now() - 600_000, edits: [{ offset: 1, length: 6, text: "stale" }] }];
    await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"online"' }, successors);
    const { shim, url, output } = await startShim(settings, folder, byClockIn(offset));
    try {
      const telemetry = async () => (await fetch(`${url}/v1/public/telemetry`)).text();
      expect(await telemetry()).toBe('"stale"');
      writeFileSync(offset, "-3600\n");
      expect(await telemetry()).toBe('"stale"');
      await until("the shim reports the moved clock", async () => /clock_moved|differs from the store/.test(output()));
      expect(await telemetry()).toBe('"stale"');
      writeFileSync(offset, "+0\n");
      expect(await telemetry()).toBe('"stale"');
    } finally {
      await stop(shim);
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
