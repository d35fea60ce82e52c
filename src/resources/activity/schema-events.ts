/** docs/spec/api.md#activity-types: an event of the feed, one variant for each type. */
import * as z from "zod";
import { POLICY_VERSION } from "../../projections/activity/milestone-policy.ts";
import { uint256String } from "../../values/decimal.ts";
import { chainAddress, chainHash, installationIdField, timestamp, uuid } from "../fields.ts";
import { blocksEndAtHeight } from "../settlements/rules.ts";

const millimetres = z.number().int().positive();
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);

const chainSource = z.strictObject({
  kind: z.literal("chain"),
  chainId: uint256String,
  target: z.string(),
  releaseId: z.string(),
  contractAddress: chainAddress,
  blockNumber: uint256String,
  blockHash: chainHash,
  transactionHash: chainHash,
  transactionIndex: uint256String,
  logIndex: uint256String,
  confirmationStatus: z.literal("safe"),
});

const measurementSource = z.strictObject({
  kind: z.literal("measurement"),
  installationId: installationIdField,
  cursor: z.string().min(1),
  telemetryId: uuid,
  observedAt: timestamp,
  receivedAt: timestamp,
  policyVersion: z.literal(POLICY_VERSION),
  disposition: z.literal("accepted"),
});

function event<Type extends string, Source extends z.ZodType, Payload extends z.ZodType>(
  type: Type,
  source: Source,
  payload: Payload,
) {
  return z.strictObject({
    id: z.string(),
    eventVersion: z.literal(1),
    type: z.literal(type),
    occurredAt: timestamp,
    recordedAt: timestamp,
    source,
    payload,
  });
}

const chain = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  event(type, chainSource, z.strictObject(shape));
const measurement = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  event(type, measurementSource, z.strictObject(shape));

const settlement = z.strictObject({
  previousSettledThroughRound: uint256String,
  settledThroughRound: uint256String,
  activeRoundCount: uint256String,
  workAdded: uint256String,
  completedBlockCount: uint256String,
  firstCompletedBlock: uint256String.nullable(),
  lastCompletedBlock: uint256String.nullable(),
  cumulativeWork: uint256String,
  blockHeight: uint256String,
});

export const activityEventSchema = z.discriminatedUnion("type", [
  event(
    "system.settlement_completed",
    chainSource,
    settlement
      .refine(blocksEndAtHeight, "completed blocks end at blockHeight")
      .refine(
        ({ previousSettledThroughRound: previous, settledThroughRound: settled }) => BigInt(settled) > BigInt(previous),
        "each batch advances its round frontier",
      ),
  ),
  chain("system.round_released", { round: uint256String, amountBaseUnits: uint256String }),
  chain("player.unit_minted", { player: chainAddress, unitId: uint256String, unitType: uint256String }),
  chain("player.units_merged", {
    player: chainAddress,
    resultUnitId: uint256String,
    consumedUnitIds: z.array(uint256String),
    resultUnitType: uint256String,
  }),
  chain("player.rewards_claimed", {
    player: chainAddress,
    throughRound: uint256String,
    amountBaseUnits: uint256String,
  }),
  measurement("measurement.lifetime_distance_milestone", { milestoneMm: millimetres, distanceMm: millimetres }),
  measurement("measurement.daily_distance_milestone", { milestoneMm: millimetres, distanceMm: millimetres, date }),
  measurement("measurement.speed_milestone", { milestoneMmPerSecond: millimetres, speedMmPerSecond: millimetres }),
  measurement("measurement.speed_record", { speedMmPerSecond: millimetres, previousSpeedMmPerSecond: millimetres }),
  measurement("measurement.distance_streak", { days: z.number().int().min(3), startDate: date, endDate: date }),
  // In the schema and never served.
  measurement("measurement.rpm_record", { rpmMilli: millimetres, previousRpmMilli: millimetres }),
]);
