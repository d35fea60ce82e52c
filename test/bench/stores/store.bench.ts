/**
 * Measures the first publication of 20,000 objects to S3 against `rclone copy` of the same bytes to the same server.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { sample } from "../../object-store/samples.ts";
import { type S3Server, startRadosgw } from "../../servers/radosgw.ts";
import { BUCKET, makeBucket, s3Store } from "../../servers/stores/s3-store.ts";
import { run as runProgram } from "../../support/processes.ts";

const OBJECTS = 20_000;
const BODY_BYTES = 2_000;
const IN_FLIGHT = 16;
const RUNS = 3;

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const server = await startRadosgw();
  try {
    await makeBucket(server);
    writeTree(folder);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let iteration = 0; iteration < RUNS; iteration++) {
      ours.push(await rate(() => publish(s3Store(server))));
      theirs.push(await rate(() => rclone(server, folder, `rclone/${iteration}`)));
      console.log(`run ${iteration + 1}: ${ours.at(-1)?.toFixed(0)} objects/s, rclone ${theirs.at(-1)?.toFixed(0)}`);
    }
    const [median, peer] = [middle(ours), middle(theirs)];
    console.log(
      `first publish of ${OBJECTS} objects of ${BODY_BYTES} bytes, ${IN_FLIGHT} in flight, radosgw: ` +
        `${median.toFixed(0)} objects/s, ${(median / peer).toFixed(2)} x rclone copy --transfers ${IN_FLIGHT} (${peer.toFixed(0)})`,
    );
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function bodyOf(index: number): string {
  return `${index} `.padEnd(BODY_BYTES, "x");
}

function keyOf(index: number): string {
  return `tiles/${Math.floor(index / 1000)}/${index}`;
}

function writeTree(folder: string): void {
  for (let index = 0; index < OBJECTS; index++) {
    if (index % 1000 === 0) mkdirSync(join(folder, "tiles", String(index / 1000)), { recursive: true });
    writeFileSync(join(folder, keyOf(index)), bodyOf(index));
  }
}

async function publish(store: S3Store): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < OBJECTS; index = next++) {
      await store.put(keyOf(index), sample(bodyOf(index), { epoch: "1", writer: "bench", sourceVersion: '{"at":0}' }));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** Drops AWS_CA_BUNDLE: rclone fails if it cannot read that file, even for a plain HTTP endpoint. */
async function rclone(server: S3Server, folder: string, prefix: string): Promise<void> {
  const { AWS_CA_BUNDLE: _, ...environment } = process.env;
  await runProgram("rclone", ["copy", "--transfers", String(IN_FLIGHT), folder, `bench:${BUCKET}/${prefix}`], {
    env: {
      ...environment,
      RCLONE_CONFIG: "/dev/null",
      RCLONE_CONFIG_BENCH_TYPE: "s3",
      RCLONE_CONFIG_BENCH_PROVIDER: "Ceph",
      RCLONE_CONFIG_BENCH_ENDPOINT: server.endpoint,
      RCLONE_CONFIG_BENCH_ACCESS_KEY_ID: server.accessKeyId,
      RCLONE_CONFIG_BENCH_SECRET_ACCESS_KEY: server.secretAccessKey,
      RCLONE_S3_NO_CHECK_BUCKET: "true",
    },
  });
}

/** Objects per second. */
async function rate(publication: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await publication();
  return (OBJECTS * 1000) / (performance.now() - started);
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
