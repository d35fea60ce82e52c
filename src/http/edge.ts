/**
 * How long a cache may keep an answer, in seconds (docs/spec/publishing.md#caches). What follows a receipt (they come every
 * few seconds) may lag by one second, which is also how long the API lets a process snapshot be reused. What follows
 * rounds and blocks may lag by five: the API's reuse of an onchain snapshot. Statistics too, although the API allows
 * thirty: the publisher recomputes at most every 30 s, so that the allowance is spent before a cache sees the answer.
 * Longer would save nothing: with requests collapsed a key costs its origin one request per edge second, however many
 * readers there are.
 */
export const FOLLOWS_RECEIPTS = 1;
export const FOLLOWS_BLOCKS = 5;

/** How long a cache may hide an origin that fails: telemetry, modules and observations only. */
export const STALE_IF_ERROR = 60;

/** A published 503 is kept this long at the edge, other errors not at all. */
export const PUBLISHED_ERROR_EDGE_SECONDS = 1;
