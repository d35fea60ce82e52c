/**
 * Type tests: each union is narrowed by its discriminator, without a cast, and each branch has its own fields. tsc
 * checks this file. Types that equal their schema are not narrowed here.
 */
import { expect, expectTypeOf, test } from "vitest";
import type * as z from "zod";
import {
  type Activity,
  type ActivityEvent,
  type ApiResponse,
  amount,
  type Client,
  type LegacySettlements,
  type Modules,
  type Observation,
  type Observations,
  type Onchain,
  type Process,
  type PublicationStatus,
  type Settlements,
  type Statistics,
  type Telemetry,
} from "../../src/client/create-client.ts";
import type { activityContract } from "../../src/resources/activity/contract.ts";
import type { modulesContract } from "../../src/resources/modules/contract.ts";
import type { observationsContract } from "../../src/resources/observations/contract.ts";
import type { onchainContract } from "../../src/resources/onchain/contract.ts";
import type { processContract } from "../../src/resources/process/contract.ts";
import type { publicationStatusContract } from "../../src/resources/publication-status/contract.ts";
import type { settlementsContract } from "../../src/resources/settlements/contract.ts";
import type { legacySettlementsContract } from "../../src/resources/settlements-legacy/contract.ts";
import type { statisticsContract } from "../../src/resources/statistics/contract.ts";
import type { telemetryContract } from "../../src/resources/telemetry/contract.ts";

function ofSettlements(body: Settlements): string {
  if (body.status === "unavailable") return `${body.range} ${body.reason}`;
  const { economy, recentSettlements, queueProjection } = body;
  const [newest] = recentSettlements;
  if (newest === undefined) return queueProjection?.amountBaseUnits ?? "none";
  return `${newest.mint.state} ${amount(newest.mint.amountBaseUnits, economy.decimals)} ${economy.symbol}`;
}

function ofLegacy(body: LegacySettlements): string {
  return body.status === "available" ? body.summary.workAdded : body.reason;
}

function ofOnchain(body: Onchain): string {
  return body.status === "available" ? body.core.blockHeight : body.reason;
}

function ofActivity(body: Activity): string {
  return body.status === "available" ? body.events.map(ofEvent).join() : body.reason;
}

function ofEvent(event: ActivityEvent): string {
  // The type identifies the source of an event.
  switch (event.type) {
    case "system.settlement_completed":
      return `${event.payload.settledThroughRound} ${event.source.transactionHash}`;
    case "system.round_released":
      return event.payload.round;
    case "player.unit_minted":
      return event.payload.unitId;
    case "player.units_merged":
      return event.payload.consumedUnitIds.join();
    case "player.rewards_claimed":
      return event.payload.amountBaseUnits;
    case "measurement.lifetime_distance_milestone":
      return `${event.payload.milestoneMm} ${event.source.telemetryId}`;
    case "measurement.daily_distance_milestone":
      return event.payload.date;
    case "measurement.speed_milestone":
      return String(event.payload.milestoneMmPerSecond);
    case "measurement.speed_record":
      return String(event.payload.previousSpeedMmPerSecond);
    case "measurement.distance_streak":
      return event.payload.startDate;
    case "measurement.rpm_record":
      return String(event.payload.rpmMilli);
    default:
      return event satisfies never;
  }
}

test("each branch of a body's type has its fields", () => {
  expect(ofOnchain({ schemaVersion: 4, installationId: "w", status: "unavailable", reason: "not_yet_safe" })).toBe(
    "not_yet_safe",
  );
  const unavailable = { installationId: "w", status: "unavailable", reason: "indexer_mismatch", range: "7d" } as const;
  expect(ofSettlements({ schemaVersion: 4, ...unavailable })).toBe("7d indexer_mismatch");
  expect(ofLegacy({ schemaVersion: 3, ...unavailable })).toBe("indexer_mismatch");
  const { range: _, ...feed } = unavailable;
  expect(ofActivity({ schemaVersion: 1, ...feed })).toBe("indexer_mismatch");
});

test("the hand-written types equal those of the schemas", () => {
  type Inferred<Of extends { readonly body: { readonly schema: z.ZodType } }> = z.infer<Of["body"]["schema"]>;
  expectTypeOf<Telemetry>().toEqualTypeOf<Inferred<typeof telemetryContract>>();
  expectTypeOf<Observations>().toEqualTypeOf<Inferred<typeof observationsContract>>();
  expectTypeOf<Process>().toEqualTypeOf<Inferred<typeof processContract>>();
  expectTypeOf<Statistics>().toEqualTypeOf<Inferred<typeof statisticsContract>>();
  expectTypeOf<PublicationStatus>().toEqualTypeOf<Inferred<typeof publicationStatusContract>>();
  // The hand-written types are narrower here: "12" instead of string, and absent instead of undefined.
  expectTypeOf<Onchain>().toExtend<Inferred<typeof onchainContract>>();
  expectTypeOf<Settlements>().toExtend<Inferred<typeof settlementsContract>>();
  expectTypeOf<LegacySettlements>().toExtend<Inferred<typeof legacySettlementsContract>>();
  expectTypeOf<Activity>().toExtend<Inferred<typeof activityContract>>();
  expectTypeOf<Modules>().toExtend<Inferred<typeof modulesContract>>();
});

test("methods, walks and watches return the body of their name", () => {
  expectTypeOf<Client["process"]>().returns.toEqualTypeOf<Promise<ApiResponse<Process>>>();
  expectTypeOf<Client["installationTelemetry"]>().returns.toEqualTypeOf<Promise<ApiResponse<Telemetry>>>();
  expectTypeOf<Client["eachObservation"]>().returns.toExtend<AsyncIterable<Observation>>();
  expectTypeOf<Client["eachActivity"]>().returns.toExtend<AsyncIterable<ActivityEvent>>();
  const calls = (api: Client) => {
    expectTypeOf(api.watch("process")).toExtend<AsyncIterable<ApiResponse<Process>>>();
    expectTypeOf(api.watch("statistics", { range: "7d" }, { every: 1 })).toExtend<
      AsyncIterable<ApiResponse<Statistics>>
    >();
    expectTypeOf(api.watch("activity")).toExtend<AsyncIterable<ApiResponse<Activity>>>();
    // @ts-expect-error a range is required
    api.watch("statistics");
    // @ts-expect-error there is no such range
    void api.statistics({ range: "1d" });
    // @ts-expect-error a queue projection exists only for range=now
    void api.settlements({ range: "7d", queue: true });
    // @ts-expect-error statistics have no range "now"
    api.watch("statistics", { range: "now" });
  };
  expectTypeOf(calls).toBeFunction();
});
