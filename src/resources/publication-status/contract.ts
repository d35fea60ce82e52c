/**
 * `/status.json`, the publication's public status (docs/spec/people.md#status-json). The shim builds it from the lease
 * object and the clock.
 */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import type { Contract } from "../contract.ts";
import { installationIdField, timestamp } from "../fields.ts";
import { CHAIN_STATES, LEDGER_STATES, PUBLISHER_STATES } from "./public-record.ts";

const timestampOrNull = timestamp.nullable();
const heightOrNull = uint256String.nullable();

export const publicationStatusSchema = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  now: timestamp,
  publisher: z.strictObject({
    state: z.enum(PUBLISHER_STATES),
    renewedAt: timestamp,
    lastCycleAt: timestampOrNull,
    nextCycleAt: timestampOrNull,
  }),
  /** The configured installation's responses by URL path with query. */
  answers: z.record(
    z.string(),
    z.strictObject({ asOf: timestamp, status: z.int().min(100).max(599), nextChangeAt: timestampOrNull }),
  ),
  sources: z.strictObject({
    ledger: z.strictObject({
      status: z.enum(LEDGER_STATES),
      newestReceiptAt: timestampOrNull,
    }),
    chain: z.strictObject({
      status: z.enum(CHAIN_STATES),
      indexedThroughBlock: heightOrNull,
      safeThroughBlock: heightOrNull,
      lastGoodPassAt: timestampOrNull,
    }),
  }),
  /** The base URL of `/tx/…`, `/address/…` and `/block/…`. */
  explorer: z
    .string()
    .regex(/^https:\/\//)
    .nullable(),
});

export const publicationStatusContract = {
  operation: "status",
  body: { name: "PublicationStatus", schema: publicationStatusSchema },
  tag: "Files",
  summary: "Status of the publication",
  description: "The public state of the publisher, the responses and the sources. docs/spec/people.md#status-json",
  rules: [],
  isClientMethod: true,
} as const satisfies Contract;
