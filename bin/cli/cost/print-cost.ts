/** A month's requests and money for people. */
import Table from "cli-table3";
import { type Month, priceOf } from "./month.ts";
import type { Prices } from "./prices.ts";

/** `isTerminal`: tables have their lines on a terminal only. */
export function costLines(month: Month, prices: Prices, isTerminal: boolean): string[] {
  const { measuredSeconds, isRough, objects, total } = month;
  const requests = table(["objects", "puts", "gets", "lists", "deletes"], isTerminal);
  for (const { keys, ...counts } of [...objects, { keys: "together", ...total }]) {
    requests.push([keys, grouped(counts.put), grouped(counts.get), grouped(counts.list), grouped(counts.delete)]);
  }
  const money = table(["provider", `${prices.currency} a month`], isTerminal);
  for (const provider of Object.values(prices.providers)) {
    money.push([provider.name, priceOf(total, provider).toFixed(2)]);
  }
  const rough = isRough ? "; by less than an hour a month is rough: a start puts everything once" : "";
  return [
    `Requests in thirty days, as the publisher made them in ${duration(measuredSeconds)}${rough}`,
    ...lines(requests.toString()),
    "",
    `List prices of ${prices.asOf}; look them up before you rely on them (docs/costs.md, --prices)`,
    ...lines(money.toString()),
    "Not in it: storage, traffic, what readers' requests cost, and the probe at each start over S3 (four to six puts).",
  ];
}

/** For `--json`. */
export function costJson(month: Month, prices: Prices): unknown {
  const money = Object.entries(prices.providers).map(([id, provider]) => {
    return [id, Math.round(priceOf(month.total, provider) * 100) / 100];
  });
  return { ...month, pricesAsOf: prices.asOf, currency: prices.currency, money: Object.fromEntries(money) };
}

const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
} as const;

function table(head: string[], isTerminal: boolean) {
  return new Table({
    head,
    colAligns: ["left", ...head.slice(1).map(() => "right" as const)],
    style: { head: [], border: [], ...(isTerminal ? {} : { "padding-left": 0, "padding-right": 0 }) },
    ...(isTerminal ? {} : { chars: NO_LINES }),
  });
}

function lines(text: string): string[] {
  return text.split("\n").map((line) => line.trimEnd());
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function duration(seconds: number): string {
  const [hours, minutes] = [seconds / 3_600, seconds / 60];
  return hours >= 2 ? `${hours.toFixed(1)} h` : `${minutes.toFixed(0)} min`;
}
