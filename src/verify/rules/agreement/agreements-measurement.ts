/** What telemetry, observations and process say of the newest receipt, and the two statistics of the same days. */
import { family } from "../../../judge/rule.ts";
import { type Agreement, type Difference, differences } from "./agreement.ts";

const ONE_CYCLE = "publish all answers of a receipt in one cycle, and let no cache keep one longer than the others";

export const MEASUREMENT_AGREES = family("agreement", {
  installation: [
    "every route speaks of the configured installation",
    "configure one installation for all routes",
    "docs/spec/api.md#installations",
  ],
  "telemetry-process": [
    "telemetry and process describe one receipt",
    ONE_CYCLE,
    "docs/spec/api.md#process-measurement",
  ],
  "telemetry-by-installation": [
    "telemetry is the configured installation's telemetry",
    ONE_CYCLE,
    "docs/spec/api.md#telemetry",
  ],
  "statistics-days": [
    "7d and 30d hold the same days",
    "compute both ranges from the same facts",
    "docs/spec/api.md#statistics-rules",
  ],
  "statistics-lifetime": [
    "7d and 30d hold the same lifetime and records",
    "compute both ranges from the same facts",
    "docs/spec/api.md#statistics-rules",
  ],
});

interface Telemetry {
  readonly installationId: string;
  readonly status: string;
  readonly observedAt: string | null;
  readonly receivedAt: string | null;
  readonly measurement: Record<string, unknown> | null;
}
interface ProcessBody {
  readonly installationId: string;
  readonly measurement: (Record<string, unknown> & { readonly freshness: string }) | null;
}

interface Statistics {
  readonly installationId: string;
  readonly lifetime: Record<string, unknown>;
  readonly records: Record<string, unknown>;
  readonly activity: { readonly days: readonly { readonly date: string }[] };
}

const RECEIPT = ["counterEpoch", "cumulativeWorkUnits", "provenance", "coreStatus"];

export const MEASUREMENT_AGREEMENTS: readonly Agreement[] = [
  {
    rule: MEASUREMENT_AGREES["telemetry-process"],
    sources: [{ route: "telemetry" }, { route: "process" }],
    compare: sameReceipt,
  },
  {
    rule: MEASUREMENT_AGREES["statistics-days"],
    sources: [
      { route: "statistics", query: "range=7d" },
      { route: "statistics", query: "range=30d" },
    ],
    compare: sameDays,
  },
  {
    rule: MEASUREMENT_AGREES["statistics-lifetime"],
    sources: [
      { route: "statistics", query: "range=7d" },
      { route: "statistics", query: "range=30d" },
    ],
    compare: (one: Statistics, other: Statistics) => [
      // coverageBps counts rounds by the clock, so that two instants may differ in it.
      ...differences(
        one.lifetime,
        other.lifetime,
        Object.keys(one.lifetime).filter((name) => name !== "coverageBps"),
      ),
      ...differences(one.records, other.records, Object.keys(one.records)),
      ...differences({ ...one }, { ...other }, ["installationId"]),
    ],
  },
  {
    rule: MEASUREMENT_AGREES["telemetry-by-installation"],
    sources: [{ route: "telemetry" }, { route: "installation-telemetry" }],
    compare: (one: Telemetry, other: Telemetry) =>
      one.installationId === other.installationId
        ? differences({ ...one }, { ...other }, Object.keys(one))
        : "another installation than the configured one is read (--installation)",
  },
  ...(["modules", "process", "onchain"] as const).map((route) => ({
    rule: MEASUREMENT_AGREES.installation,
    sources: [{ route: "telemetry" }, { route }] as const,
    compare: (one: Telemetry, other: Telemetry) => differences({ ...one }, { ...other }, ["installationId"]),
  })),
];

function sameReceipt(telemetry: Telemetry, process: ProcessBody): Difference[] {
  const { measurement } = process;
  if (telemetry.measurement === null || measurement === null) {
    return telemetry.measurement === measurement
      ? []
      : [{ what: "measurement", one: telemetry.measurement, other: measurement }];
  }
  return [
    ...differences({ ...telemetry }, measurement, ["observedAt", "receivedAt"]),
    ...differences(telemetry.measurement, measurement, RECEIPT),
    ...differences({ freshness: telemetry.status }, measurement, ["freshness"]),
  ];
}

/** The day that is still running, and the one before it, may have been taken in between the two. */
const MAY_STILL_MOVE = 1;

function sameDays(week: Statistics, month: Statistics): Difference[] {
  const known = new Map(month.activity.days.map((day) => [day.date, day]));
  return week.activity.days.slice(0, -MAY_STILL_MOVE).flatMap((day) => {
    const other = known.get(day.date);
    return JSON.stringify(other) === JSON.stringify(day) ? [] : [{ what: `day ${day.date}`, one: day, other }];
  });
}
