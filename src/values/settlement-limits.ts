/** Limits of the settlement protocol, for every module that computes or checks with them. */

/** Confirmations after which a block counts as safe, the block itself counted (docs/spec/chain.md#reading). */
export const CONFIRMATIONS = 12n;

/** How far the safe block lies below the head: the block itself is the first of its confirmations. */
export const SAFE_DEPTH = CONFIRMATIONS - 1n;

/** The most active rounds that one batch of settlement may have (docs/spec/chain.md#checks). */
export const MAX_ACTIVE_ROUNDS = 16n;
