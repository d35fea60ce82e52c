/** Checks that telemetry, observations and process agree on the newest receipt, and both statistics on common days. */
import type { Observations, Process, Statistics, Telemetry } from "../../client/generated/bodies.ts";
import type { RouteContract } from "../../judge/contract.ts";
import { jsonOf } from "../../judge/exchange.ts";
import { ask, targetOf } from "../ask.ts";
import { AGREES } from "../rules.ts";
import type { Run } from "../run.ts";
import { type Agreement, type Difference, differences } from "./agreement.ts";

const RECEIPT = ["counterEpoch", "cumulativeWorkUnits", "provenance", "coreStatus"];

export const MEASUREMENT_AGREEMENTS: readonly Agreement[] = [
  {
    rule: AGREES["telemetry-process"],
    sources: [{ route: "telemetry" }, { route: "process" }],
    compare: sameReceipt,
  },
  {
    rule: AGREES["statistics-days"],
    sources: [
      { route: "statistics", query: "range=7d" },
      { route: "statistics", query: "range=30d" },
    ],
    compare: sameDays,
  },
  {
    rule: AGREES["statistics-lifetime"],
    sources: [
      { route: "statistics", query: "range=7d" },
      { route: "statistics", query: "range=30d" },
    ],
    compare: (one: Statistics, other: Statistics) => [
      // coverageBps depends on the clock, so it may differ between two instants.
      ...differences(
        one.lifetime,
        other.lifetime,
        Object.keys(one.lifetime).filter((name) => name !== "coverageBps"),
      ),
      ...differences(one.records, other.records, Object.keys(one.records)),
      ...differences(one, other, ["installationId"]),
    ],
  },
  {
    rule: AGREES["telemetry-by-installation"],
    sources: [{ route: "telemetry" }, { route: "installation-telemetry" }],
    compare: (one: Telemetry, other: Telemetry) =>
      one.installationId === other.installationId
        ? differences(one, other, Object.keys(one))
        : "another installation than the configured one is read",
  },
  ...(["modules", "process", "onchain"] as const).map((route) => ({
    rule: AGREES.installation,
    sources: [{ route: "telemetry" }, { route }] as const,
    compare: (one: Telemetry, other: Telemetry) => differences(one, other, ["installationId"]),
  })),
];

function sameReceipt(telemetry: Telemetry, process: Process): Difference[] {
  const { measurement } = process;
  if (telemetry.measurement === null || measurement === null) {
    return telemetry.measurement === measurement
      ? []
      : [{ what: "measurement", one: telemetry.measurement, other: measurement }];
  }
  return [
    ...differences(telemetry, measurement, ["observedAt", "receivedAt"]),
    ...differences(telemetry.measurement, measurement, RECEIPT),
    ...differences({ freshness: telemetry.status }, measurement, ["freshness"]),
  ];
}

/** Number of days that may have changed between the two reads: the current one. */
const CHANGING_DAYS = 1;

function sameDays(week: Statistics, month: Statistics): Difference[] {
  const known = new Map(month.activity.days.map((day) => [day.date, day]));
  return week.activity.days.slice(0, -CHANGING_DAYS).flatMap((day) => {
    const other = known.get(day.date);
    return JSON.stringify(other) === JSON.stringify(day) ? [] : [{ what: `day ${day.date}`, one: day, other }];
  });
}

const READ_AGAIN_AFTER_MS = [1_500, 3_000, 6_000];
const OBSERVED = ["observedAt", "receivedAt", "softwareVersion"];
const MEASURED = ["counterEpoch", "cumulativeWorkUnits", "provenance"];

type Item = Observations["items"][number];

/** `newest` is the last item of a walk. Items that arrived since are read after it. */
export async function judgeNewest(run: Run, route: RouteContract, newest: Item): Promise<void> {
  const telemetryRoute = run.route("installation-telemetry");
  if (telemetryRoute === undefined) return;
  let item = newest;
  let difference: Difference | undefined;
  for (const pause of [0, ...READ_AGAIN_AFTER_MS]) {
    if (pause > 0) await run.environment.pause(pause);
    const telemetry = jsonOf(
      await ask(run, { route: telemetryRoute, target: targetOf(run, telemetryRoute, "") }),
    ) as Telemetry;
    [difference] = differenceOf(item, telemetry);
    if (difference === undefined) break;
    const page = jsonOf(await ask(run, { route, target: targetOf(run, route, `cursor=${item.cursor}`) }));
    item = (page as Partial<Observations> | undefined)?.items?.at(-1) ?? item;
    [difference] = differenceOf(item, telemetry);
    if (difference === undefined) break;
  }
  run.check(AGREES["observations-telemetry"], route, difference === undefined, () => ({
    expected: `${difference?.what} ${JSON.stringify(difference?.other)} in the newest observation, as in telemetry`,
    saw: JSON.stringify(difference?.one),
  }));
}

function differenceOf(item: Item, telemetry: Telemetry | undefined): Difference[] {
  if (telemetry?.measurement === null || telemetry?.measurement === undefined) {
    return [{ what: "measurement", one: item.cursor, other: telemetry?.measurement }];
  }
  return [...differences(item, telemetry, OBSERVED), ...differences(item, telemetry.measurement, MEASURED)];
}
