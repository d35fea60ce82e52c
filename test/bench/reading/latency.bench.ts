/**
 * Measures the time from a new receipt to the first response that contains it. Runs the built publisher and shim with
 * the publisher's one-second schedule; receipts shift through all phases of that second. Worlds:
 *
 * - a receipt is committed to the ledger, over a directory (at the shim and through Varnish) and over radosgw;
 * - a line is appended to a file, or a message published to a NATS stream, that `ingest --follow` follows.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { openStore } from "../../../src/object-store/open-store.ts";
import { ingest } from "../../ledger/ingest.ts";
import { startDirectoryBucket } from "../../servers/directory-bucket.ts";
import { startRadosgw } from "../../servers/radosgw.ts";
import { BUCKET, makeBucket } from "../../servers/stores/s3-store.ts";
import { publisherOf, startNats } from "../../servers/stream/nats.ts";
import { startVarnish } from "../../servers/varnish.ts";
import { setup as build } from "../../support/build.ts";
import { stop, until } from "../../support/processes.ts";
import { quantile } from "../support/quantile.ts";

const RECEIPTS = Number(process.env.NOONTEST_BENCH_RECEIPTS ?? 200);
/** Interval between receipts and of the readers' polls, ms. A bucket's objects are put at most every five seconds. */
const PACES = { directory: { interval: 1_000, poll: 5 }, bucket: { interval: 6_000, poll: 20 } } as const;
/** Added to each interval, so that receipts fall at every phase of the publisher's second. */
const PHASE_SHIFT_MS = 37;
const PATH = "/v1/public/telemetry";
const PROGRAM = join(import.meta.dirname, "../../../bin/noonmark.js");

type Take = (record: Readonly<Record<string, unknown>>) => void | Promise<void>;
/** Servers and folders of one world. They end in reverse order. */
type Stops = (() => unknown)[];
interface Store {
  /** The flags that name it, for every command. */
  readonly flags: readonly string[];
  readonly pace: { readonly interval: number; readonly poll: number };
  readonly environment?: Readonly<Record<string, string>>;
}
/** Prepares an intake, and returns the function that gives it a receipt. The ledger need not exist yet. */
type Source = (folder: string, ledger: string, stops: Stops) => Promise<Take>;

export async function run(): Promise<void> {
  build();
  await world("committed, directory", directory, commits, varnishBefore);
  await world("line of a followed file, directory", directory, followedFile);
  await world("message of a followed stream, directory", directory, followedStream);
  await world("committed, radosgw", radosgw, commits);
}

async function world(
  name: string,
  openPlace: (folder: string, stops: Stops) => Store | Promise<Store>,
  source: Source,
  startFront?: (folder: string, shim: number, stops: Stops) => Promise<number>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const stops: Stops = [() => rmSync(folder, { recursive: true })];
  try {
    const place = await openPlace(folder, stops);
    const ledger = join(folder, "ledger.db");
    const send = receipts(await source(folder, ledger, stops));
    await send();
    const genesis = Math.floor(Date.now() / 600_000) * 600 - 86_400;
    const publish = ["publish", "--installation-id", "wheel-1", "--ledger", ledger, "--state", join(folder, "state")];
    const publisher = noonmark(folder, [...publish, "--genesis-timestamp", String(genesis), ...place.flags], place);
    stops.push(() => stop(publisher, "SIGTERM"));
    await once(publisher.stderr ?? publisher, "data");
    const serve = noonmark(folder, ["serve", "--port", "0", "--fronts", "any", ...place.flags], place);
    stops.push(() => stop(serve, "SIGTERM"));
    const [line] = (await once(createInterface({ input: serve.stdout ?? process.stdin }), "line")) as [string];
    const shim = Number(/:(\d+)$/.exec(line)?.[1]);
    const ports: Record<string, number> = { "at the shim": shim };
    if (startFront !== undefined) ports["through Varnish"] = await startFront(folder, shim, stops);
    await until("telemetry is published", async () => (await read(shim)).includes('"cumulativeWorkUnits"'));
    // All keys were put just now, and a bucket's key is put again after five seconds at the earliest.
    await wait(place.pace.interval);
    await measure(name, send, ports, place.pace);
  } finally {
    for (const end of stops.toReversed()) await end();
  }
}

function directory(folder: string): Store {
  return { flags: ["--store", join(folder, "public")], pace: PACES.directory };
}

async function radosgw(_folder: string, stops: Stops): Promise<Store> {
  const server = await startRadosgw();
  stops.push(() => server.stop());
  await makeBucket(server);
  return {
    flags: ["--store", `s3://${BUCKET}/latency`, "--s3-endpoint", server.endpoint, "--s3-provider", "ceph"],
    pace: PACES.bucket,
    environment: { AWS_ACCESS_KEY_ID: server.accessKeyId, AWS_SECRET_ACCESS_KEY: server.secretAccessKey },
  };
}

async function varnishBefore(folder: string, shim: number, stops: Stops): Promise<number> {
  const bucket = await startDirectoryBucket(await openStore(join(folder, "public"), { write: false }));
  stops.push(() => bucket.stop());
  const origins = { bucket: bucket.origin, shim: { protocol: "http", host: "127.0.0.1", port: shim } } as const;
  const varnish = await startVarnish(origins);
  stops.push(() => varnish.stop());
  return varnish.port;
}

const commits: Source = async (_folder, path, stops) => {
  const ledger = openLedgerForIntake(path);
  stops.push(() => ledger.close());
  return (record) => {
    if (ingest(ledger, [record]).accepted !== 1) throw new Error("a receipt was not accepted");
  };
};

const followedFile: Source = async (folder, ledger, stops) => {
  const file = join(folder, "facts.ndjson");
  writeFileSync(file, "");
  await follow(folder, file, ledger, stops);
  return (record) => appendFileSync(file, `${JSON.stringify(record)}\n`);
};

const followedStream: Source = async (folder, ledger, stops) => {
  const data = join(folder, "nats");
  mkdirSync(data);
  const server = await startNats(data);
  stops.push(() => server.stop());
  const publisher = await publisherOf([server]);
  stops.push(() => publisher.connection.close());
  await follow(folder, `nats://127.0.0.1:${server.port}/FACTS`, ledger, stops);
  return (record) => publisher.publish(JSON.stringify(record));
};

async function follow(folder: string, input: string, ledger: string, stops: Stops): Promise<void> {
  const intake = noonmark(folder, ["ingest", "--follow", input, "--ledger", ledger]);
  stops.push(() => stop(intake, "SIGTERM"));
  await until("the intake's ledger", () => Promise.resolve(existsSync(ledger)));
}

async function measure(
  world: string,
  send: () => Promise<string>,
  ports: Readonly<Record<string, number>>,
  { interval, poll }: Store["pace"],
): Promise<void> {
  const times = Object.keys(ports).map((): number[] => []);
  for (let receipt = 0; receipt < RECEIPTS; receipt++) {
    const sent = performance.now();
    const work = await send();
    const seen = Object.values(ports).map(async (port, index) => {
      while (!(await read(port)).includes(`"cumulativeWorkUnits":"${work}"`)) await wait(poll);
      times[index]?.push(performance.now() - sent);
    });
    await Promise.all(seen);
    await wait(Math.max(0, interval + PHASE_SHIFT_MS - (performance.now() - sent)));
  }
  for (const [index, name] of Object.keys(ports).entries()) {
    const of = (q: number) => `${quantile(times[index] ?? [], q).toFixed(0)} ms`;
    console.log(
      `latency: ${world}: readable ${name} after ${of(0.5)}, p99 ${of(0.99)}, maximum ${of(1)} (${RECEIPTS} receipts, polled every ${poll} ms)`,
    );
  }
}

/** Each call sends one receipt and returns its cumulative work. */
function receipts(take: Take): () => Promise<string> {
  const boot = { bootId: crypto.randomUUID(), counterEpoch: crypto.randomUUID() };
  let sequence = 0;
  return async () => {
    sequence += 1;
    const now = new Date().toISOString();
    const cumulativeWorkUnits = String(sequence * 10);
    await take({
      type: "receipt",
      installationId: "wheel-1",
      telemetryId: crypto.randomUUID(),
      ...boot,
      sequence,
      observedAt: now,
      receivedAt: now,
      cumulativeWorkUnits,
      provenance: "hardware",
      softwareVersion: "1.4.2",
      coreStatus: "ACTIVE",
      rpmMilli: 43_000,
      speedMmPerSecond: 612,
      distanceMm: sequence * 1_000,
    });
    return cumulativeWorkUnits;
  };
}

function noonmark(
  cwd: string,
  args: readonly string[],
  { environment = {} }: Pick<Store, "environment"> = {},
): ChildProcess {
  const env = { ...process.env, ...environment };
  return spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
}

const agent = new Agent({ keepAlive: true });

function read(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, path: PATH }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject).end();
  });
}
