/** A month of thirty days, computed from the counts. */
import type { MeasuredRequests, RequestCounts } from "../../../publish/status/request-tally.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import type { Provider } from "./prices.ts";

const MONTH_MS = 30 * 86_400_000;
/** A shorter time (ms) says nothing: it is mostly the puts of a start. */
const LEAST_MS = 60_000;
/** A shorter time is marked as rough. */
const ROUGH_MS = 3_600_000;

export interface Month {
  readonly measuredSeconds: number;
  readonly isRough: boolean;
  /** Requests a month by keys, the most puts first. */
  readonly objects: readonly (RequestCounts & { readonly keys: string })[];
  readonly total: RequestCounts;
}

/** Throws `Failure` nothing_measured (1). */
export function monthOf(measured: MeasuredRequests | undefined): Month {
  const elapsed = measured === undefined ? 0 : Date.parse(measured.until) - Date.parse(measured.since);
  if (measured === undefined || elapsed < LEAST_MS) {
    throw new Failure("nothing_measured", "no publisher has counted a minute of its requests here yet", {
      exit: EXIT.failed,
      hint: "A publisher reports its counts every ten minutes of its first hour, then every hour, and each time that it ends.",
    });
  }
  const monthly = (count: number) => Math.round((count * MONTH_MS) / elapsed);
  const objects = Object.entries(measured.objects)
    .map(([keys, counts]) => ({ keys, ...eachOf((operation) => monthly(counts[operation])) }))
    .toSorted((a, b) => b.put - a.put || b.get - a.get || (a.keys < b.keys ? -1 : 1));
  const total = eachOf((operation) => objects.reduce((sum, object) => sum + object[operation], 0));
  return { measuredSeconds: elapsed / 1_000, isRough: elapsed < ROUGH_MS, objects, total };
}

/** In the table's currency, without the free requests. */
export function priceOf({ put, list, get, delete: deletes }: RequestCounts, { perMillion, free }: Provider): number {
  const classA = put + list;
  const billedShare = classA === 0 ? 0 : Math.max(0, classA - free.classA) / classA;
  const puts = (put * perMillion.put + list * perMillion.list) * billedShare;
  return (puts + Math.max(0, get - free.classB) * perMillion.get + deletes * perMillion.delete) / 1_000_000;
}

function eachOf(value: (operation: keyof RequestCounts) => number): RequestCounts {
  return { put: value("put"), get: value("get"), list: value("list"), delete: value("delete") };
}
