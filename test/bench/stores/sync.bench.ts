/**
 * Measures publication of one receipt into a store of 20,000 objects on radosgw: a cycle of a running publisher, and a
 * cold `publish --once`. Compares both with `rclone sync` and `aws s3 sync` of a tree with the same changed objects.
 * Needs about 990 MB of disk, and twice that in server memory.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eachLimited } from "../../../publish/each-limited.ts";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { observationTileKey, tileOf } from "../../../src/resources/observations/route.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { type S3Server, startRadosgw } from "../../servers/radosgw.ts";
import { BUCKET, makeBucket, s3Store } from "../../servers/stores/s3-store.ts";
import { setup as build } from "../../support/build.ts";
import { run as runProgram } from "../../support/processes.ts";
import { writeLargeLedger } from "../support/large-ledger.ts";
import { appendReceipt, PREFIX, publishOnce, startPublisher } from "../support/publisher/s3-publisher.ts";
import { median } from "../support/quantile.ts";

const TILES = 20_000;
const RECEIPTS = TILES * 128 - 64;
const DISK_BYTES = 8 * 2 ** 30;
const RUNS = 5;
const CYCLES = 10;
const IN_FLIGHT = 16;

type Peer = (tree: string) => Promise<unknown>;

export async function run(): Promise<void> {
  build();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const server = await startRadosgw({ diskBytes: DISK_BYTES });
  try {
    await makeBucket(server);
    writeLargeLedger(join(folder, "ledger.db"), { receipts: RECEIPTS, rounds: 30 * 144 });
    await publishAll(server, folder);
    await compare(server, folder);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function publishAll(server: S3Server, folder: string): Promise<void> {
  const publisher = await startPublisher(server, folder);
  const milliseconds = await publisher.cycle();
  await publisher.stop();
  const store = s3Store(server, { prefix: PREFIX });
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  const bytes = await refresh(store, join(folder, "tree"), keys);
  const [megabytes, seconds] = [Math.round(bytes / 1e6), (milliseconds / 1000).toFixed(1)];
  console.log(`${keys.length} objects, ${megabytes} MB, first published in ${seconds} s`);
}

async function compare(server: S3Server, folder: string): Promise<void> {
  const store = s3Store(server, { prefix: PREFIX });
  const tree = join(folder, "tree");
  const peers = {
    "rclone sync": rcloneSync(server),
    "rclone sync --checksum": rcloneSync(server, "--checksum"),
    "aws s3 sync": awsSync(server),
  };
  await peers["rclone sync"](tree);
  const cycles: number[] = [];
  const onces: number[] = [];
  const syncs = Object.entries(peers).map(([name, sync]) => ({ name, sync, times: [] as number[] }));
  for (let iteration = 1; iteration <= RUNS; iteration++) {
    const running = await startPublisher(server, folder);
    await running.cycle();
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      appendReceipt(folder);
      cycles.push(await running.cycle());
    }
    await running.stop();
    for (const { sync, times } of syncs) {
      appendReceipt(folder);
      onces.push(publishOnce(server, folder));
      await refresh(store, tree, CHANGED);
      times.push(await timed(() => sync(tree)));
    }
    const theirs = syncs.map(({ name, times }) => `${name} ${times.at(-1)?.toFixed(0)} ms`).join(", ");
    console.log(
      `run ${iteration}: cycle ${cycles.at(-1)?.toFixed(1)} ms, once ${onces.at(-1)?.toFixed(0)} ms, ${theirs}`,
    );
  }
  const [cycle, once] = [median(cycles), median(onces)];
  console.log(
    `medians: cycle of the running publisher ${cycle.toFixed(1)} ms, cold publish --once ${once.toFixed(0)} ms`,
  );
  for (const { name, times } of syncs) {
    const theirs = median(times);
    const [ratio, coldRatio] = [(theirs / cycle).toFixed(0), (theirs / once).toFixed(1)];
    console.log(`${name} ${theirs.toFixed(0)} ms: ${ratio} × the cycle, ${coldRatio} × the cold publish`);
  }
}

/** Keys of the objects that one receipt changes. */
const CHANGED = [TELEMETRY_KEY, PROCESS_KEY, observationTileKey("wheel-1", 1, tileOf(RECEIPTS))];

/**
 * Writes the store's objects to files and returns their total bytes. A key can be a prefix of another, so files have a
 * suffix.
 */
async function refresh(store: S3Store, tree: string, keys: readonly string[]): Promise<number> {
  let bytes = 0;
  await eachLimited(keys, IN_FLIGHT, async (key) => {
    const path = join(tree, `${key}.http`);
    mkdirSync(dirname(path), { recursive: true });
    const { body = new Uint8Array() } = (await store.get(key)) ?? {};
    writeFileSync(path, body);
    bytes += body.length;
  });
  return bytes;
}

/**
 * Uses 16 transfers and checkers, the publisher's number of concurrent puts. By default rclone requests the
 * modification time of each object; with --checksum it lists the objects and reads every file.
 */
function rcloneSync(server: S3Server, ...extraFlags: readonly string[]): Peer {
  // rclone fails if it cannot read AWS_CA_BUNDLE, even for a plain HTTP endpoint.
  const { AWS_CA_BUNDLE: _, ...environment } = process.env;
  const env = {
    ...environment,
    RCLONE_CONFIG: "/dev/null",
    RCLONE_CONFIG_BENCH_TYPE: "s3",
    RCLONE_CONFIG_BENCH_PROVIDER: "Ceph",
    RCLONE_CONFIG_BENCH_ENDPOINT: server.endpoint,
    RCLONE_CONFIG_BENCH_ACCESS_KEY_ID: server.accessKeyId,
    RCLONE_CONFIG_BENCH_SECRET_ACCESS_KEY: server.secretAccessKey,
    RCLONE_S3_NO_CHECK_BUCKET: "true",
  };
  const flags = ["--transfers", String(IN_FLIGHT), "--checkers", String(IN_FLIGHT), ...extraFlags];
  return (tree) => runProgram("rclone", ["sync", ...flags, tree, `bench:${BUCKET}/synced`], { env });
}

function awsSync(server: S3Server): Peer {
  const { AWS_CA_BUNDLE: _, ...environment } = process.env;
  const env = {
    ...environment,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    AWS_DEFAULT_REGION: "default",
  };
  const flags = ["--endpoint-url", server.endpoint, "--only-show-errors"];
  return (tree) => runProgram("/usr/bin/aws", ["s3", "sync", ...flags, tree, `s3://${BUCKET}/synced`], { env });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
