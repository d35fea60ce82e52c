/** Checks one object and keeps its facts for the checks between objects. */
import * as z from "zod";
import { parseIndex } from "../http/installations.ts";
import { PRIVATE_LOGS } from "../http/keys.ts";
import { parseCheckpoint } from "../log/checkpoint.ts";
import { parseNote } from "../log/note.ts";
import { unpackBundle } from "../log/private-bundle.ts";
import { type Bundle, bundlePath, decodeBundle, TILE_WIDTH, tilePath } from "../log/tiles.ts";
import { leafHash } from "../log/tree.ts";
import type { StoredObject } from "../object-store/object-store.ts";
import { decodeHead } from "../resources/activity/stored-feed.ts";
import { observationTileKey } from "../resources/observations/route.ts";
import type { Statistics } from "../resources/statistics/schema.ts";
import { FORMAT_VERSION } from "../values/format.ts";
import { FUTURE_ALLOWANCE_MS } from "../values/freshness.ts";
import { errorMessage } from "../values/unknown.ts";
import type { Facts, LeaseClaim } from "./facts.ts";
import { type Kind, kindOf, type LogPlace } from "./kind.ts";
import { isCounted } from "./lifetime.ts";
import {
  assetsIn,
  eventsComplaint,
  judgeActivityTile,
  judgeFile,
  judgeObservationTile,
  judgeResponse,
  writerOf,
} from "./objects.ts";
import type { StoreFinding } from "./rules.ts";

export interface JudgeOptions {
  /** Epoch ms. */
  readonly now: number;
}

const holderSchema = z.looseObject({
  schemaVersion: z.literal(FORMAT_VERSION),
  epoch: z.number().int().positive(),
  holder: z.string().min(1),
});

const leaseSchema = holderSchema.extend({
  ttlMs: z.number().int().positive(),
  renewedAt: z.iso.datetime(),
  released: z.boolean(),
  lastCycleAt: z.iso.datetime().nullable(),
  public: z.looseObject({ responses: z.record(z.string(), z.unknown()) }).nullish(),
});

/** Returns undefined if the bytes are no lease record. */
function leaseIn(body: Uint8Array): LeaseClaim | undefined {
  const { data } = parsedAs(leaseSchema, body);
  if (data === undefined) return undefined;
  const { epoch, holder, lastCycleAt, public: status } = data;
  return {
    epoch,
    holder,
    lastCycleAt: lastCycleAt === null ? undefined : Date.parse(lastCycleAt),
    responses: Object.keys(status?.responses ?? {}),
  };
}

function parsedAs<Schema extends z.ZodType>(schema: Schema, body: Uint8Array): z.ZodSafeParseResult<z.infer<Schema>> {
  try {
    return schema.safeParse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return schema.safeParse(undefined);
  }
}

export function judgeObject(key: string, object: StoredObject, facts: Facts, options: JudgeOptions): StoreFinding[] {
  const kind = kindOf(key);
  if (kind.is === "foreign") return [{ rule: "foreign-key", key, says: "a publisher never writes this key" }];
  if (kind.is === "lease") return judgeLease(key, object, facts, options.now);
  if (kind.is === "standby") return [];
  if (kind.is === "probe")
    return [{ rule: "probe-left", key, says: "a start was interrupted while it tested the store" }];
  if (kind.is === "private-status") {
    return [...judgeWriter(key, object, facts, options.now), ...judgePrivateStatus(key, object)];
  }
  return [...judgeWriter(key, object, facts, options.now), ...judgeKind(key, kind, object, facts)];
}

function judgeLease(key: string, object: StoredObject, facts: Facts, now: number): StoreFinding[] {
  const lease = leaseIn(object.body);
  if (lease === undefined) return [{ rule: "lease", key, says: "it is damaged, or is not a lease record" }];
  facts.lease = lease;
  const { epoch, writer } = object.metadata;
  const ahead = futureFinding(key, lease.lastCycleAt, now);
  if (epoch === String(lease.epoch) && writer === lease.holder) return ahead;
  const says = `its metadata have epoch ${epoch} of ${writer}, its body has ${lease.epoch} of ${lease.holder}`;
  return [...ahead, { rule: "lease", key, says }];
}

function judgePrivateStatus(key: string, { body, metadata }: StoredObject): StoreFinding[] {
  const { data } = parsedAs(holderSchema, body);
  if (data === undefined) return [{ rule: "private-status", key, says: "it is not a publisher's status" }];
  if (metadata.epoch === String(data.epoch) && metadata.writer === data.holder) return [];
  return [{ rule: "private-status", key, says: `its metadata and its body name another holder or epoch` }];
}

function judgeWriter(key: string, object: StoredObject, facts: Facts, now: number): StoreFinding[] {
  const writer = writerOf(object);
  if (typeof writer === "string") return [{ rule: "writer", key, says: writer }];
  facts.writers.set(key, writer);
  return futureFinding(key, writer.sourceVersion.at, now);
}

/** `at` and `now` are epoch ms. */
function futureFinding(key: string, at: number | undefined, now: number): StoreFinding[] {
  if (at === undefined || at <= now + FUTURE_ALLOWANCE_MS) return [];
  return [{ rule: "source-version-future", key, says: `it is from ${new Date(at).toISOString()}` }];
}

function judgeKind(key: string, kind: Kind, object: StoredObject, facts: Facts): StoreFinding[] {
  switch (kind.is) {
    case "index":
      try {
        facts.index = parseIndex(new TextDecoder().decode(object.body));
        return [];
      } catch (error) {
        return [{ rule: "body", key, says: errorMessage(error) }];
      }
    case "observation-tile": {
      const found = judgeObservationTile(kind, object);
      const name = `${kind.installationId} ${kind.log}`;
      facts.observations.set(name, [...(facts.observations.get(name) ?? []), { ...found, tile: kind.tile }]);
      if (key !== observationTileKey(kind.installationId, kind.log, kind.tile)) return [];
      return found.complaint === undefined ? [] : [{ rule: "observation-tile", key, says: found.complaint }];
    }
    case "checkpoint":
      try {
        facts.logOf(kind).checkpoint = parseCheckpoint(checkpointText(kind, object));
        return [];
      } catch (error) {
        return [{ rule: "log", key, says: errorMessage(error) }];
      }
    case "bundle":
      return judgeBundle(key, kind, object, facts);
    case "hash-tile":
      facts.logOf(kind).tiles.set(tilePath(kind), object.body);
      return [];
    case "activity-tile": {
      const found = judgeActivityTile(kind.name, object);
      facts.activityTiles.set(key, found);
      return found.complaint === undefined ? [] : [{ rule: "activity-tile", key, says: found.complaint }];
    }
    case "file":
    case "asset": {
      if (kind.is === "file" && kind.row.contentType?.startsWith("text/html")) facts.named.set(key, assetsIn(object));
      return judgeFile(key, kind.is === "file" ? kind.row : undefined, object);
    }
    default:
      return judgeResponseOf(key, kind, object, facts);
  }
}

function judgeResponseOf(key: string, kind: Kind, object: StoredObject, facts: Facts): StoreFinding[] {
  const { findings, constants, installationId, body } = judgeResponse(key, kind, object);
  facts.named.set(key, constants);
  if (installationId !== undefined && kind.is !== "template") facts.installations.set(key, installationId);
  if (kind.is === "response" && kind.resource === "statistics" && body !== undefined) {
    // Its contract was checked.
    facts.statistics.set(key, body as Statistics);
  }
  if (kind.is !== "head" || findings.some(({ rule }) => rule === "body")) return [...findings];
  const head = decodeHead(new TextDecoder().decode(object.body));
  if (head === undefined) return [...findings];
  facts.heads.set(kind.category, head);
  const complaint = eventsComplaint(head.recent);
  return complaint === undefined ? [...findings] : [...findings, { rule: "body", key, says: complaint }];
}

/** A public checkpoint is a signed note. Whether its signature fits is for readers with the key. */
function checkpointText({ root }: LogPlace, { body }: StoredObject): string {
  return root === PRIVATE_LOGS ? new TextDecoder().decode(body) : parseNote(body).text;
}

/** A bundle may have more entries than its log's checkpoint commits. In a private log it keeps its key while it grows. */
function judgeBundle(key: string, bundle: LogPlace & Bundle, object: StoredObject, facts: Facts): StoreFinding[] {
  const { size = 0 } = facts.writers.get(key)?.sourceVersion ?? {};
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const bytes = bundle.root === PRIVATE_LOGS ? unpackBundle(object.body) : object.body;
    const entries = decodeBundle(bytes, size - bundle.index * TILE_WIDTH);
    const texts = entries.map((entry) => decoder.decode(entry));
    const found = facts.logOf(bundle);
    found.bundles.set(bundlePath(bundle), texts.map(leafHash));
    found.counted.set(bundlePath(bundle), new Map([...texts.entries()].filter(([, text]) => isCounted(text))));
    return [];
  } catch (error) {
    return [{ rule: "log", key, says: errorMessage(error) }];
  }
}
