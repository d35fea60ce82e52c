/** The shared value types of docs/spec/api.md#values as zod schemas of what is published. */
import * as z from "zod";

/** ISO 8601 UTC with three decimals. */
export const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** In responses any string of the ledger's ids. */
export const installationIdField = z.string().min(1).max(128);
export const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
/** A nonnegative safe integer. */
export const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
export const chainHash = z.string().regex(/^0x[0-9a-f]{64}$/);
export const chainAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
