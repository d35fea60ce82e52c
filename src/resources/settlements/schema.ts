/** docs/spec/api.md#settlements, the settlement history resource (current version). */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { chainAddress } from "../fields.ts";
import { blocksEndAtHeight, HISTORY_RULES } from "./rules.ts";
import {
  buckets,
  envelopeFields,
  historyFields,
  recentFields,
  recentSettlements,
  unavailableFields,
} from "./schema-fields.ts";

const queueProjection = z.strictObject({
  state: z.literal("projected"),
  previousSettledThroughRound: uint256String,
  settledThroughRound: uint256String,
  activeRoundCount: uint256String,
  previousBlockHeight: uint256String,
  blockHeight: uint256String,
  firstCompletedBlock: uint256String.nullable(),
  lastCompletedBlock: uint256String.nullable(),
  completedBlockCount: uint256String,
  amountBaseUnits: uint256String,
});

const available = z.strictObject({
  schemaVersion: z.literal(4),
  ...envelopeFields,
  economy: z.strictObject({
    releaseId: z.string(),
    mining: chainAddress,
    token: chainAddress,
    symbol: z.string(),
    decimals: z.literal(18),
  }),
  ...historyFields,
  recentSettlements: recentSettlements({
    ...recentFields,
    mint: z.strictObject({ state: z.enum(["pending", "confirmed"]), amountBaseUnits: uint256String }),
  }),
  buckets,
  queueProjection: queueProjection.optional(),
});

type Available = z.infer<typeof available>;

const ownRules = available
  .refine(mintsInOrder, "mints are confirmed from the oldest on")
  .refine(queueStartsAtFrontier, "a queue projection starts at the safe frontier of range=now");

export const settlementsSchema = z.discriminatedUnion("status", [
  HISTORY_RULES.reduce((schema, [name, holds]) => schema.refine(holds, name), ownRules),
  z.strictObject({ schemaVersion: z.literal(4), ...unavailableFields }),
]);

function mintsInOrder({ recentSettlements: settlements }: Available): boolean {
  const newestConfirmed = settlements.findIndex(({ mint }) => mint.state === "confirmed");
  return newestConfirmed === -1 || settlements.slice(newestConfirmed).every(({ mint }) => mint.state === "confirmed");
}

function queueStartsAtFrontier({ range, queueProjection: queue, recentSettlements: settlements }: Available): boolean {
  if (queue === undefined) return true;
  const [newest] = settlements;
  return (
    range === "now" &&
    queue.previousSettledThroughRound === (newest?.settledThroughRound ?? "0") &&
    queue.previousBlockHeight === (newest?.blockHeight ?? "0") &&
    BigInt(queue.blockHeight) - BigInt(queue.previousBlockHeight) === BigInt(queue.completedBlockCount) &&
    blocksEndAtHeight(queue)
  );
}
