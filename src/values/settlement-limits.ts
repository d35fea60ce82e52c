/** Limits of the settlement protocol that several modules use. */

/** Confirmations of a safe block, including the block itself (docs/spec/chain.md#reading). */
export const CONFIRMATIONS = 12n;

/** Distance of the safe block below the head; the block itself is its first confirmation. */
export const SAFE_DEPTH = CONFIRMATIONS - 1n;

/** Maximum number of active rounds in one settlement batch (docs/spec/chain.md#checks). */
export const MAX_ACTIVE_ROUNDS = 16n;
