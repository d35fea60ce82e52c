/** Logs of the five kinds that the activity shows, in the format in which the sync stores them. */
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { address, COLLECTION, chainEvent, MINING } from "../../support/chain/chain-state.ts";

const PLAYER = address(0x9a);

type Position = { readonly blockNumber: bigint; readonly logIndex: number; readonly blockTimestamp?: number };

function log(kind: "mining" | "collection", eventName: string, position: Position, values: object): ChainEvent {
  return chainEvent({
    contractKind: kind,
    contractAddress: kind === "mining" ? MINING : COLLECTION,
    eventName,
    ...position,
    arguments: Object.entries(values).map(([name, value]) => ({ name, value: String(value) })),
  });
}

export const roundReleased = (position: Position, round = 7n): ChainEvent =>
  log("mining", "RoundReleased", position, { round, amount: 5n });
export const rewardsClaimed = (position: Position): ChainEvent =>
  log("mining", "RewardsClaimed", position, { player: PLAYER, throughRound: 9n, amount: 77n });
export const unitMinted = (position: Position, unitId = 3n): ChainEvent =>
  log("collection", "UnitMinted", position, { player: PLAYER, unitId, unitType: 2 });
export const unitsMerged = (position: Position): ChainEvent =>
  log("collection", "UnitsMerged", position, {
    player: PLAYER,
    resultUnitId: 12n,
    consumedUnitIds: '["3","4"]',
    resultUnitType: 3,
  });

export const KINDS = [roundReleased, rewardsClaimed, unitMinted, unitsMerged] as const;
