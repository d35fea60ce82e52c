/**
 * `/status.json`, the publication's public status (docs/spec/people.md#status-json). The shim builds it from the head
 * and the clock.
 */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import type { Contract } from "../contract.ts";
import { installationIdField, timestamp } from "../fields.ts";
import { RESPONSE_KEYS } from "../find.ts";
import { CHAIN_STATES, LEDGER_STATES, PUBLISHER_STATES } from "./public-record.ts";

const URLS: ReadonlySet<string> = new Set(RESPONSE_KEYS.map(([url]) => url));

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
  log: z
    .strictObject({
      size: z.int().nonnegative(),
      root: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
      origin: z.string().min(1).nullable(),
      verifierKey: z.array(z.string().min(1)),
    })
    .nullable(),
  deploymentHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** The configured installation's responses by URL path with query. */
  responses: z.record(
    z.string().refine((url) => URLS.has(url)),
    z.strictObject({
      asOf: timestamp,
      status: z.int().min(100).max(599),
      nextChangeAt: timestampOrNull,
      etag: z.string().min(1).nullable(),
      logSize: z.int().nonnegative().nullable(),
      safeBlock: z.strictObject({ number: uint256String, hash: z.string().regex(/^0x[0-9a-f]{64}$/) }).nullable(),
      program: z.string().regex(/^(?:\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)?$/),
    }),
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
