/**
 * `node test/bench/scale/sizes.ts` prints the load for several numbers of readers and devices, and how many of each part it
 * needs.
 */
import { BENCH_ROUTES } from "../support/fronts/front-routes.ts";
import { expected, type SimulatedUrl } from "./simulation.ts";

/** A limit of a part of a deployment. */
interface Limit {
  readonly part: string;
  /** The limited quantity, per second. */
  readonly of: "requests" | "gets" | "puts" | "putsOfAKey" | "bits" | "shimRequests";
  readonly perSecond: number;
  /** The provider's page, or a row of docs/performance.md. */
  readonly source: string;
}

const S3 = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html";
const CLOUDFRONT = "https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html";

/** Providers' published limits (read 2026-11-22; check before use), and measured figures. */
const LIMITS: readonly Limit[] = [
  {
    part: "one key in R2",
    of: "putsOfAKey",
    perSecond: 1,
    source: "https://developers.cloudflare.com/r2/platform/limits",
  },
  {
    part: "one key in Google Cloud Storage",
    of: "putsOfAKey",
    perSecond: 1,
    source: "https://docs.cloud.google.com/storage/quotas",
  },
  {
    part: "a new bucket in Google Cloud Storage",
    of: "puts",
    perSecond: 1_000,
    source: "https://docs.cloud.google.com/storage/quotas",
  },
  { part: "a partitioned prefix in S3", of: "gets", perSecond: 5_500, source: S3 },
  { part: "a partitioned prefix in S3", of: "puts", perSecond: 3_500, source: S3 },
  { part: "a CloudFront distribution", of: "requests", perSecond: 250_000, source: CLOUDFRONT },
  { part: "a CloudFront distribution", of: "bits", perSecond: 150e9, source: CLOUDFRONT },
  { part: "one publisher on radosgw", of: "puts", perSecond: 684, source: "store: first publish at 16 in flight" },
  { part: "one radosgw", of: "gets", perSecond: 4_700, source: "wrk, 16 connections" },
  { part: "one Varnish on two shared cores", of: "requests", perSecond: 31_955, source: "fronts: Varnish, 2 kB" },
  { part: "one nginx worker", of: "requests", perSecond: 20_810, source: "fronts: nginx, 2 kB" },
  { part: "one process of serve", of: "requests", perSecond: 50_183, source: "shim: 2 kB" },
  { part: "one process of serve", of: "shimRequests", perSecond: 50_183, source: "shim: 2 kB" },
];

/** A reader requests telemetry and process every 5 s, and one of the other routes every 60 s. */
const FAST_SECONDS = 5;
const SLOW_SECONDS = 60;
/** Bytes sent per response: 2 kB of JSON, compressed, including headers. */
const RESPONSE_BYTES = 1_000;
/** Keys that one device's receipts update, each at most every PUT_INTERVAL_SECONDS (docs/operating.md#puts). */
const KEYS_A_DEVICE = 2;
const PUT_INTERVAL_SECONDS = 5;
const MONTH_SECONDS = 30 * 86_400;
const DOLLARS_A_MILLION_PUTS = 5;
/** Measured puts per second of one installation with every option enabled (docs/operating.md#puts). */
const CONFIGURED_PUTS = 89_507 / 86_400;

/** Load per second. */
export interface Size {
  readonly requests: number;
  readonly bits: number;
  readonly gets: number;
  readonly shimRequests: number;
  readonly puts: number;
  readonly putsOfAKey: number;
}

export interface Sized {
  readonly readers: number;
  readonly devices: number;
  readonly dataCentres: number;
  readonly isPublisherDead: boolean;
}

/** The load of a deployment of this size. */
export function sizeOf({ readers, devices, dataCentres, isPublisherDead }: Sized): Size {
  const requests = readers * (2 / FAST_SECONDS + 1 / SLOW_SECONDS);
  const fast = BENCH_ROUTES.filter(({ edgeSeconds }) => edgeSeconds === 1).length;
  const urls: SimulatedUrl[] = BENCH_ROUTES.map(({ edgeSeconds }) => ({
    share:
      edgeSeconds === 1
        ? 2 / FAST_SECONDS / fast / (requests / readers)
        : 1 / SLOW_SECONDS / (BENCH_ROUTES.length - fast) / (requests / readers),
    edgeSeconds,
    isPast: isPublisherDead,
  }));
  const { bucket, shim } = expected({ dataCentres, requestsPerSecond: requests, urls, fetchSeconds: 0.05 });
  return {
    requests,
    bits: requests * RESPONSE_BYTES * 8,
    gets: bucket + shim,
    shimRequests: shim,
    puts: isPublisherDead ? 0 : CONFIGURED_PUTS + ((devices - 1) * KEYS_A_DEVICE) / PUT_INTERVAL_SECONDS,
    putsOfAKey: isPublisherDead ? 0 : 1 / PUT_INTERVAL_SECONDS,
  };
}

export interface Needed {
  readonly limit: Limit;
  /** How many of this part the load needs. */
  readonly count: number;
}

/** The limits that a single part exceeds. */
export function neededParts(size: Size): Needed[] {
  return LIMITS.map((limit) => ({ limit, count: Math.ceil(size[limit.of] / limit.perSecond) })).filter(
    ({ count }) => count > 1,
  );
}

function row(sized: Sized): string {
  const size = sizeOf(sized);
  const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
  const dollars = (size.puts * MONTH_SECONDS * DOLLARS_A_MILLION_PUTS) / 1e6;
  const needed = neededParts(size).map(({ limit, count }) => `${count} × ${limit.part} (${limit.of})`);
  const cells = [
    sized.readers.toLocaleString("en"),
    sized.devices.toLocaleString("en"),
    String(sized.dataCentres),
    sized.isPublisherDead ? "dead" : "alive",
    figure(size.requests),
    `${figure(size.bits / 1e6)} Mbit`,
    figure(size.gets),
    figure(size.shimRequests),
    figure(size.puts),
    `${figure(dollars)} $`,
    needed.join("; ") || "–",
  ];
  return `| ${cells.join(" | ")} |`;
}

if (process.argv[1] === import.meta.filename) {
  console.log(
    "| readers | devices | data centres | publisher | requests/s | bits/s to readers | gets/s | shim/s | puts/s | puts per month | parts needed |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [readers, dataCentres] of [
    [1e2, 1],
    [1e3, 4],
    [1e4, 20],
    [1e5, 100],
    [1e6, 300],
    [1e7, 300],
    [1e8, 300],
  ] as const) {
    for (const isPublisherDead of [false, true])
      console.log(row({ readers, devices: 1, dataCentres, isPublisherDead }));
  }
  for (const devices of [1e2, 1e3, 1e4, 1e5])
    console.log(row({ readers: 1e6, devices, dataCentres: 300, isPublisherDead: false }));
}
