/** `node bench/scale/sizes.ts`: what so many readers and devices come to, and what each part would have to be multiplied by. */
import { BENCH_ROUTES } from "../support/fronts/front-routes.ts";
import { LIMITS, type Limit } from "./limits.ts";
import { expected, type SimulatedUrl } from "./simulation.ts";

/** A reader asks for telemetry and process as often as they change, and for one of the others each minute. */
const FAST_SECONDS = 5;
const SLOW_SECONDS = 60;
/** Bytes of a response as sent, compressed, its head included: 2 kB of JSON. */
const ANSWER_BYTES = 1_000;
/** Keys that a device's receipts put, and how often at most (docs/storage.md#what-it-costs). */
const KEYS_A_DEVICE = 2;
const PUT_INTERVAL_SECONDS = 5;
const MONTH_SECONDS = 30 * 86_400;
const DOLLARS_A_MILLION_PUTS = 5;
/** Measured puts a second of one installation with everything on (docs/storage.md#what-it-costs). */
const CONFIGURED_PUTS = 89_507 / 86_400;

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

/** A second of it, worked out. */
export function sizeOf({ readers, devices, dataCentres, isPublisherDead }: Sized): Size {
  const requests = readers * (2 / FAST_SECONDS + 1 / SLOW_SECONDS);
  const fast = BENCH_ROUTES.filter(({ edgeSeconds }) => edgeSeconds === 1).length;
  const urls: SimulatedUrl[] = BENCH_ROUTES.map(({ edgeSeconds }) => ({
    share: edgeSeconds === 1 ? 2 / FAST_SECONDS / fast / (requests / readers) : 1 / SLOW_SECONDS / (BENCH_ROUTES.length - fast) / (requests / readers),
    edgeSeconds,
    isPast: isPublisherDead,
  }));
  const { bucket, shim } = expected({ dataCentres, requestsPerSecond: requests, urls, fetchSeconds: 0.05 });
  return {
    requests,
    bits: requests * ANSWER_BYTES * 8,
    gets: bucket + shim,
    shimRequests: shim,
    puts: isPublisherDead ? 0 : CONFIGURED_PUTS + ((devices - 1) * KEYS_A_DEVICE) / PUT_INTERVAL_SECONDS,
    putsOfAKey: isPublisherDead ? 0 : 1 / PUT_INTERVAL_SECONDS,
  };
}

export interface Needed {
  readonly limit: Limit;
  /** How many of the part. */
  readonly count: number;
}

/** The limit that one of a part exceeds. */
export function beyondOne(size: Size): Needed[] {
  return LIMITS.map((limit) => ({ limit, count: Math.ceil(size[limit.of] / limit.perSecond) })).filter(({ count }) => count > 1);
}

function row(sized: Sized): string {
  const size = sizeOf(sized);
  const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
  const dollars = (size.puts * MONTH_SECONDS * DOLLARS_A_MILLION_PUTS) / 1e6;
  const needed = beyondOne(size).map(({ limit, count }) => `${count} × ${limit.part} (${limit.of})`);
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
  console.log("| readers | devices | data centres | publisher | requests/s | to readers/s | gets/s | shim/s | puts/s | puts a month | more than one |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [readers, dataCentres] of [[1e2, 1], [1e3, 4], [1e4, 20], [1e5, 100], [1e6, 300], [1e7, 300], [1e8, 300]] as const) {
    for (const isPublisherDead of [false, true]) console.log(row({ readers, devices: 1, dataCentres, isPublisherDead }));
  }
  for (const devices of [1e2, 1e3, 1e4, 1e5]) console.log(row({ readers: 1e6, devices, dataCentres: 300, isPublisherDead: false }));
}
