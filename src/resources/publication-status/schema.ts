/**
 * `/status.json`: how the publication is, as a stranger may read it. Made from the lease object and the clock
 * (docs/spec/people.md#status-json).
 */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { installationIdField, timestamp } from "../fields.ts";

const timestampOrNull = timestamp.nullable();
const heightOrNull = uint256String.nullable();

export const publicationStatusSchema = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  now: timestamp,
  publisher: z.strictObject({
    /** live: the lease was renewed in time; late: not for one time to live; stopped: released, or not for a minute. */
    state: z.enum(["live", "late", "stopped"]),
    renewedAt: timestamp,
    lastCycleAt: timestampOrNull,
    nextCycleAt: timestampOrNull,
  }),
  /** By URL path, its query included; of the configured installation. */
  answers: z.record(
    z.string(),
    z.strictObject({ asOf: timestamp, status: z.int().min(100).max(599), nextChangeAt: timestampOrNull }),
  ),
  sources: z.strictObject({
    ledger: z.strictObject({
      status: z.enum(["followed", "none", "unreadable", "behind"]),
      newestReceiptAt: timestampOrNull,
    }),
    chain: z.strictObject({
      status: z.enum(["followed", "disabled", "silent", "mismatch", "behind"]),
      indexedThroughBlock: heightOrNull,
      safeThroughBlock: heightOrNull,
      lastGoodPassAt: timestampOrNull,
    }),
  }),
  /** The base of `/tx/…`, `/address/…` and `/block/…`. */
  explorer: z
    .string()
    .regex(/^https:\/\//)
    .nullable(),
});
