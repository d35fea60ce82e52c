/** Ten-minute rounds (docs/spec/intake.md#round): round r covers [genesis + r·600 s, genesis + (r + 1)·600 s). */

export const ROUND_SECONDS = 600;
export const ROUND_MS = ROUND_SECONDS * 1000;

/** Returns the first millisecond of a round, as bigint: a uint64 round id may lie beyond every calendar. */
function roundStart(genesisSeconds: bigint, roundId: bigint): bigint {
  return (genesisSeconds + roundId * BigInt(ROUND_SECONDS)) * 1000n;
}

/** Returns the first millisecond after a round. */
export function roundEnd(genesisSeconds: bigint, roundId: bigint): bigint {
  return roundStart(genesisSeconds, roundId + 1n);
}
