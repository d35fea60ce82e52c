/** The newest observation is the receipt that telemetry speaks of. */
import type { RouteContract } from "../../../judge/contract.ts";
import { jsonOf } from "../../../judge/exchange.ts";
import { family } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { targetOf } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { type Difference, differences } from "./agreement.ts";

export const NEWEST_AGREES = family("agreement", {
  "observations-telemetry": [
    "the newest observation is the receipt that telemetry speaks of",
    "publish both in one cycle, and let no cache keep one longer than the other",
    "docs/spec/api.md#observations",
  ],
});

const RULE = NEWEST_AGREES["observations-telemetry"];
const READ_AGAIN_AFTER_MS = [1_500, 3_000, 6_000];
const RECEIPT = ["observedAt", "receivedAt", "softwareVersion"];
const MEASUREMENT = ["counterEpoch", "cumulativeWorkUnits", "provenance"];

interface Item {
  readonly cursor: string;
  readonly [name: string]: unknown;
}
interface Telemetry {
  readonly measurement: Record<string, unknown> | null;
  readonly [name: string]: unknown;
}

/** `newest` is what a walk has ended with; what has come since is read behind it. */
export async function judgeNewest(run: Run, route: RouteContract, newest: Item): Promise<void> {
  const telemetryRoute = run.route("installation-telemetry");
  if (telemetryRoute === undefined) return;
  let item = newest;
  let difference: Difference | undefined;
  for (const pause of [0, ...READ_AGAIN_AFTER_MS]) {
    if (pause > 0) await run.surroundings.pause(pause);
    const telemetry = jsonOf(
      await ask(run, { route: telemetryRoute, target: targetOf(run, telemetryRoute, "") }),
    ) as Telemetry;
    [difference] = differenceOf(item, telemetry);
    if (difference === undefined) break;
    const page = jsonOf(await ask(run, { route, target: targetOf(run, route, `cursor=${item.cursor}`) }));
    item = (page as { items?: readonly Item[] } | undefined)?.items?.at(-1) ?? item;
    [difference] = differenceOf(item, telemetry);
    if (difference === undefined) break;
  }
  run.check(RULE, route, difference === undefined, () => ({
    expected: `${difference?.what} ${JSON.stringify(difference?.other)}, as telemetry says, in the newest observation`,
    saw: JSON.stringify(difference?.one),
  }));
}

function differenceOf(item: Item, telemetry: Telemetry | undefined): Difference[] {
  if (telemetry?.measurement === null || telemetry?.measurement === undefined) {
    return [{ what: "measurement", one: item.cursor, other: telemetry?.measurement }];
  }
  return [...differences(item, telemetry, RECEIPT), ...differences(item, telemetry.measurement, MEASUREMENT)];
}
