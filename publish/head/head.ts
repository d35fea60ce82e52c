/**
 * The head (docs/spec/publishing.md#head): the lease, the commit point and the list of what is published, in one private
 * object. It says what readers may see next, so it is stored before the objects. Its size does not depend on the number
 * of installations.
 */
import * as z from "zod";
import { HEAD_KEY } from "../../src/http/keys.ts";
import type { LoggedPosition } from "../../src/ledger/intake/stream-position.ts";
import {
  type ObjectStore,
  readOrDamaged,
  StoreDamaged,
  type StoreObject,
  type StoreTag,
} from "../../src/object-store/object-store.ts";
import { JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { type PublicRecord, UNKNOWN_SOURCES } from "../../src/resources/publication-status/public-record.ts";
import { formatFailure } from "../../src/values/failure.ts";
import { checkFormat, FORMAT_VERSION } from "../../src/values/format.ts";

/** The empty tree's root. */
export const NO_LOG = { size: 0, root: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" } as const;

/** Greatest number of installations in `unfinished.left`, and of keys in `retired`. */
export const LEFT_LIMIT = 64;
export const RETIRED_LIMIT = 256;

const count = z.number().int().nonnegative();
/** Epoch ms. */
const instant = z.number().int().nonnegative();

const responseSchema = z.object({
  /**
   * The response itself, and its successors: since when (epoch ms) each holds, and a hash over what a reader sees of it
   * except generatedAt. Empty for an object that is no response.
   */
  states: z.array(z.tuple([instant, z.string()])),
  /** The seal of the object. */
  seal: z.string(),
  /** The store's tag; null until the put is confirmed. */
  tag: z.string().nullable(),
  /** The HTTP status. */
  status: count,
  etag: z.string().nullable(),
  asOf: instant,
  /** Entries of the log from which it was computed; null if it does not depend on facts. */
  logSize: count.nullable(),
  safeBlock: z.object({ number: z.string(), hash: z.string() }).nullable(),
  /** A hash of the deployment of which it is a view; null without one. */
  binding: z.string().nullable(),
  /** The version of the program that built it. */
  program: z.string(),
});

const headSchema = z.object({
  schemaVersion: z.literal(FORMAT_VERSION),
  installationId: z.string(),
  /** The newest version of the program that has put. */
  program: z.string(),
  /** Rises with each swap, so that no two heads have the same tag. */
  seq: count,
  lease: z.object({
    /** At least the instant (epoch ms) at which the lease was taken. */
    epoch: count,
    /** The holder's random token. */
    holder: z.string().min(1),
    renewedAt: instant,
    ttlMs: count,
    released: z.boolean(),
  }),
  /** The last published instant. */
  at: instant,
  nextCycleAt: instant.nullable(),
  /** Every fact that any object shows is among these entries. `root` in base64; `keys`: the verifier keys that sign. */
  log: z.object({ size: count, root: z.string(), form: z.enum(["public", "private"]), keys: z.array(z.string()) }),
  /** The chain at the newest published safe block; `core` is the Core's state there, as JSON. */
  chain: z
    .object({
      binding: z.string(),
      safeBlock: z.string(),
      safeHash: z.string(),
      core: z.string().nullable(),
      genesisTimestamp: z.string().nullable(),
    })
    .nullable(),
  /** By key. */
  responses: z.record(z.string(), responseSchema),
  /** The row id of the last installation that the index lists. */
  listed: count,
  /**
   * Objects that may not be stored yet: the responses `keys`, and the installations with entries from `since` on. A
   * pass over these has stored the installations up to the row `through`, with their entries below `until`. `left`
   * lists the installations that failed or need several steps, and the positions up to which their observations are
   * stored.
   */
  unfinished: z.object({
    since: count,
    until: count,
    through: count,
    left: z.array(z.tuple([z.string(), count])).max(LEFT_LIMIT),
    keys: z.array(z.string()),
  }),
  /** Keys of which a put may still arrive, and since when. */
  doubted: z.array(z.tuple([z.string(), instant])),
  /** Keys without a reference, and until when (epoch ms) they are kept. */
  retired: z.array(z.tuple([z.string(), instant])).max(RETIRED_LIMIT),
  /** The sources at the last cycle, for `/status.json`. */
  sources: z.custom<PublicRecord["sources"]>((value) => typeof value === "object" && value !== null),
  /** The position of the ledger in its stream, at which every fact is in `log`; null if it follows none. */
  stream: z.custom<LoggedPosition>((value) => typeof value === "object" && value !== null).nullable(),
  /** Codes of what failed, and how often. */
  problems: z.array(z.tuple([z.string(), count])),
});

export type Head = z.infer<typeof headSchema>;
export type PublishedResponse = z.infer<typeof responseSchema>;

export interface FoundHead {
  /** Undefined if the object is damaged, or is not a head. */
  readonly head: Head | undefined;
  readonly tag: StoreTag;
}

/** Undefined if there is none. Throws `Failure` format_unknown, `StoreUnavailable`. */
export async function readHead(store: ObjectStore): Promise<FoundHead | undefined> {
  const found = await readOrDamaged(store, HEAD_KEY);
  if (found === undefined) return undefined;
  return { head: found instanceof StoreDamaged ? undefined : parseHead(found.body), tag: found.tag };
}

function parseHead(body: Uint8Array): Head | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  try {
    checkFormat(value, HEAD_KEY);
  } catch (error) {
    throw formatFailure(error);
  }
  return headSchema.safeParse(value).data;
}

export function headObject(head: Head): StoreObject {
  return { body: new TextEncoder().encode(`${JSON.stringify(head)}\n`), contentType: JSON_TYPE, metadata: {} };
}

/** The head of a prefix to which nothing was published yet. */
export function firstHead(installationId: string, form: Head["log"]["form"]): Head {
  return {
    schemaVersion: FORMAT_VERSION,
    installationId,
    program: "0.0.0",
    seq: 0,
    lease: { epoch: 0, holder: "nobody", renewedAt: 0, ttlMs: 0, released: true },
    at: 0,
    nextCycleAt: null,
    log: { ...NO_LOG, form, keys: [] },
    chain: null,
    responses: {},
    listed: 0,
    unfinished: { since: 0, until: 0, through: 0, left: [], keys: [] },
    doubted: [],
    retired: [],
    sources: UNKNOWN_SOURCES,
    stream: null,
    problems: [],
  };
}
