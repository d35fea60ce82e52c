/** Requests and cost of a thirty-day month (docs/costs.md), from the publisher's counts and a table of prices. */

import * as z from "zod";
import type { MeasuredRequests, RequestCounts } from "../../publish/status/request-tally.ts";
import { packageFile } from "../../src/files/package-file.ts";
import { readShortFile } from "../../src/files/short-file.ts";
import { Failure } from "../../src/values/failure.ts";
import { printable, printableValues } from "../../src/values/printable.ts";
import { errorMessage } from "../../src/values/unknown.ts";
import { tableLines } from "./table.ts";

const MONTH_MS = 30 * 86_400_000;
/** A shorter measurement (ms) is rejected, because it mostly has the puts of a start. */
const MIN_MEASURED_MS = 60_000;
const LONGEST_PRICES_BYTES = 1 << 20;
/** A shorter measurement (ms) is marked as rough. */
const ROUGH_BELOW_MS = 3_600_000;

export interface Month {
  readonly measuredSeconds: number;
  readonly isRough: boolean;
  /** Requests per month by keys, most puts first. */
  readonly objects: readonly (RequestCounts & { readonly keys: string })[];
  readonly total: RequestCounts;
}

/** Extrapolates to a month. Throws `Failure` nothing_measured (1). */
export function monthOf(measured: MeasuredRequests | undefined): Month {
  const elapsed = measured === undefined ? 0 : Date.parse(measured.until) - Date.parse(measured.since);
  if (measured === undefined || elapsed < MIN_MEASURED_MS) {
    throw new Failure("nothing_measured", "no publisher has counted its requests for a minute yet");
  }
  const monthly = (count: number) => Math.round((count * MONTH_MS) / elapsed);
  const objects = Object.entries(measured.objects)
    .map(([keys, counts]) => ({ keys, ...eachOf((operation) => monthly(counts[operation])) }))
    .toSorted((a, b) => b.put - a.put || b.get - a.get || (a.keys < b.keys ? -1 : 1));
  const total = eachOf((operation) => objects.reduce((sum, object) => sum + object[operation], 0));
  return { measuredSeconds: elapsed / 1_000, isRough: elapsed < ROUGH_BELOW_MS, objects, total };
}

/** Returns the price in the table's currency, after free requests. */
export function priceOf({ put, list, get, delete: deletes }: RequestCounts, { perMillion, free }: Provider): number {
  const classA = put + list;
  const billedShare = classA === 0 ? 0 : Math.max(0, classA - free.classA) / classA;
  const puts = (put * perMillion.put + list * perMillion.list) * billedShare;
  return (puts + Math.max(0, get - free.classB) * perMillion.get + deletes * perMillion.delete) / 1_000_000;
}

function eachOf(value: (operation: keyof RequestCounts) => number): RequestCounts {
  return { put: value("put"), get: value("get"), list: value("list"), delete: value("delete") };
}

const amount = z.number().nonnegative();
const providerSchema = z.strictObject({
  name: z.string().min(1),
  /** Prices per million requests. */
  perMillion: z.strictObject({ put: amount, list: amount, get: amount, delete: amount }),
  /** Free requests per month: puts and lists (class A), gets (class B). */
  free: z.strictObject({ classA: amount, classB: amount }),
  source: z.string(),
});
const pricesSchema = z.strictObject({
  asOf: z.iso.date(),
  currency: z.string().min(1),
  providers: z.record(z.string(), providerSchema),
});

export type Provider = z.infer<typeof providerSchema>;
export type Prices = z.infer<typeof pricesSchema>;

/** Reads a file like docs/prices.json, the default. Throws `Failure` prices_unreadable, invalid_prices. */
export function readPrices(path: string | undefined): Prices {
  const file = path ?? packageFile("docs/prices.json");
  let text: string;
  try {
    text = readShortFile(file, LONGEST_PRICES_BYTES).text;
  } catch (cause) {
    throw new Failure("prices_unreadable", `${file} cannot be read: ${errorMessage(cause)}`, { cause });
  }
  const parsed = pricesSchema.safeParse(jsonOf(text, file));
  // The file may be somebody else's.
  if (parsed.success) return printableValues(parsed.data);
  const [issue] = parsed.error.issues;
  throw invalid(file, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is invalid"}`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(file, errorMessage(cause));
  }
}

function invalid(file: string, message: string): Failure {
  return new Failure("invalid_prices", `${file}: ${printable(message)}`);
}

/** Formats the costs for people. On a terminal, tables have lines. */
export function costLines(month: Month, prices: Prices, isTerminal: boolean): string[] {
  const { measuredSeconds, isRough, objects, total } = month;
  const form = { hasLines: isTerminal, isNumeric: true };
  const requests = [...objects, { keys: "together", ...total }].map((counts) => [
    counts.keys,
    ...[counts.put, counts.get, counts.list, counts.delete].map((count) => count.toLocaleString("en-US")),
  ]);
  const money = Object.values(prices.providers).map((provider) => [provider.name, priceOf(total, provider).toFixed(2)]);
  const rough = isRough ? "; less than an hour gives a rough estimate, because a start puts everything once" : "";
  return [
    `Requests in thirty days, estimated from ${duration(measuredSeconds)}${rough}`,
    ...tableLines(["objects", "puts", "gets", "lists", "deletes"], requests, form),
    "",
    `List prices of ${prices.asOf}; look them up before you rely on them (docs/costs.md, --prices)`,
    ...tableLines(["provider", `${prices.currency} a month`], money, form),
    "Not included: storage, traffic, readers' requests, and the probe at each start over S3 (four to six puts).",
  ];
}

/** Formats the costs for `--json`. */
export function costJson(month: Month, prices: Prices): unknown {
  const money = Object.entries(prices.providers).map(([id, provider]) => {
    return [id, Math.round(priceOf(month.total, provider) * 100) / 100];
  });
  return { ...month, pricesAsOf: prices.asOf, currency: prices.currency, money: Object.fromEntries(money) };
}

function duration(seconds: number): string {
  const [hours, minutes] = [seconds / 3_600, seconds / 60];
  return hours >= 2 ? `${hours.toFixed(1)} h` : `${minutes.toFixed(0)} min`;
}
