/**
 * How long a cache may keep a response, in seconds (docs/spec/publishing.md#caches).
 *
 * Receipts come every few seconds, so routes that follow them may lag by one second. The API lets a process snapshot be
 * reused for as long. Routes that follow rounds and blocks may lag by five, like an onchain snapshot. Statistics too,
 * although the API allows thirty: the publisher recomputes at most every 30 s, which uses up that allowance. A longer time
 * would save nothing, because with collapsed requests a key costs its origin one request per edge second.
 */
export const FOLLOWS_RECEIPTS = 1;
export const FOLLOWS_BLOCKS = 5;

/** How long a cache may hide an origin that fails: telemetry, modules and observations only. */
export const STALE_IF_ERROR = 60;

/** A published 503 is kept this long at the edge; other errors are not kept. */
export const PUBLISHED_ERROR_EDGE_SECONDS = 1;
