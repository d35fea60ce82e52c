/**
 * A black-box test of a publisher whose wall clock jumps while it runs (docs/spec/publishing.md#moved-clock).
 * libfaketime changes the process's wall clock and leaves its monotonic clock unchanged.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { runCli, startCli } from "../support/cli.ts";
import { stop, until } from "../support/processes.ts";
import { putAnswer } from "../support/publish-answer.ts";
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
}

async function withMovingClock(
  stored: (folder: string) => Promise<{ store: ObjectStore; settings: string[] }>,
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-moved-"));
  const { store, settings } = await stored(folder);
  const offset = join(folder, "offset");
  const move = (seconds: number) => writeFileSync(offset, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  let sequence = 0;
  const receive = async () => {
    sequence++;
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const now = new Date().toISOString();
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
    const { exitCode, stderr } = await runCli(["ingest", "-"], folder, `${JSON.stringify(line)}\n`);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  };
  move(0);
  await receive();
  const args = ["publish", "--installation-id", "wheel-1", ...settings];
  const publisher = startCli(args, folder, byClockIn(offset));
  let output = "";
  for (const stream of [publisher.stdout, publisher.stderr]) stream.on("data", (data: Buffer) => (output += data));
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
    await body({ settings, store, publisher, output: () => output, move, receive, publishedAt, status });
  } finally {
    await stop(publisher);
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
  return { store, settings: ["--store", store.name, "--s3-provider", "ceph", "--s3-endpoint", radosgw.endpoint] };
};

test.concurrent.each([
  ["a directory", "ahead", inDirectory, HOUR],
  ["a directory", "back", inDirectory, -HOUR],
  ["a bucket", "ahead", inBucket, HOUR],
  ["a bucket", "back", inBucket, -HOUR],
] as const)("over %s a clock that jumps an hour %s and returns causes no wrong date", async (_, way, stored, by) => {
  await withMovingClock(stored, async ({ move, receive, publishedAt, status, publisher, output }) => {
    move(by);
    await until("status reports the moved clock", async () =>
      (await status()).problems.some((one) => one.startsWith("clock_moved: ")),
    );
    // Separate timers write the lease and the log.
    await until("the log reports the moved clock", async () =>
      new RegExp(`this machine's clock moved ${way} by 3[56]\\d\\d s`).test(output()),
    );
    const before = await publishedAt();
    await receive();
    await until("the receipt is published", async () => (await publishedAt()) > before);
    expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
    move(0);
    await until("the clock has returned", async () => output().includes('"code":"clock_returned"'));
    const again = await publishedAt();
    await receive();
    await until("publishing continues", async () => (await publishedAt()) > again);
    expect(Math.abs((await publishedAt()) - Date.now())).toBeLessThan(NOW_MS);
    await until("status has no problem", async () => (await status()).problems.length === 0);
    expect(publisher.exitCode).toBeNull();
  });
});

test("a shim over a directory whose clock goes back an hour does not serve stale telemetry as online", async () => {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-moved-shim-"));
  const offset = join(folder, "offset");
  writeFileSync(offset, "+0\n");
  const store = await openStore(join(folder, "public"), { write: true });
  const successors = [{ from: Date.now() - 600_000, edits: [{ offset: 1, length: 6, text: "stale" }] }];
  await putAnswer(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"online"' }, successors);
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
    await until("the shim reports the returned clock", async () => output.includes("clock_returned"));
    expect(await telemetry()).toBe('"stale"');
  } finally {
    await stop(shim);
    rmSync(folder, { recursive: true, force: true });
  }
});
