/**
 * Decides if a stored object is what its key promises, for a publisher that reads it: when a plan needs it, and when the
 * scrub checks it. `noonmark fsck` has checks of its own, so that each is a second opinion on the other.
 */
import { parseIndex } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY, logPrefix, parseCheckpointKey, TILE_SIZE } from "../src/http/keys.ts";
import { parseCheckpoint } from "../src/log/checkpoint.ts";
import { decodeBundle, TILE_WIDTH } from "../src/log/tiles.ts";
import type { StoredObject } from "../src/object-store/object-store.ts";
import {
  decodeResponse,
  decodeWriterMetadata,
  type SourceVersion,
  type StoredResponse,
} from "../src/object-store/stored-response.ts";
import { parseActivityTileKey } from "../src/resources/activity/route.ts";
import { hashOf } from "../src/resources/activity/tiles.ts";
import { observationSchema } from "../src/resources/observations/contract.ts";
import { decodeObservationCursor, type ObservationTile } from "../src/resources/observations/route.ts";
import { formatFailure } from "../src/values/failure.ts";
import { UnknownFormat } from "../src/values/format.ts";

/** Returns undefined if the object is damaged or another program's. Throws `Failure` format_unknown. */
export function responseAt(key: string, object: StoredObject): StoredResponse | undefined {
  try {
    if (key === INSTALLATIONS_KEY) parseIndex(textOf(object));
    const response = decodeResponse(object);
    // `at` is a method of arrays, so a field check is not enough.
    return Number.isFinite(response.writerMetadata.sourceVersion.at) ? response : undefined;
  } catch (error) {
    if (error instanceof UnknownFormat) throw formatFailure(error);
    return undefined;
  }
}

/** Returns the version of a log's checkpoint or bundle of entries; undefined if the object is damaged. */
export function logObjectVersion(key: string, object: StoredObject): SourceVersion | undefined {
  try {
    const { sourceVersion } = decodeWriterMetadata(object.metadata);
    const log = parseCheckpointKey(key);
    if (log === undefined) {
      decodeBundle(object.body, (((sourceVersion.size ?? 0) - 1) % TILE_WIDTH) + 1);
      return sourceVersion;
    }
    const { origin, size, root } = parseCheckpoint(textOf(object));
    return `${origin}/` === logPrefix(log) ? { at: sourceVersion.at, log, size, root } : undefined;
  } catch {
    return undefined;
  }
}

/** The receipts of a tile of observations. */
export interface TiledReceipts {
  readonly positions: number;
}

/** Returns undefined unless the tile holds its own positions, ascending and without a gap. */
export function receiptsIn({ installationId, tile }: ObservationTile, object: StoredObject): TiledReceipts | undefined {
  const lines = textOf(object).split("\n");
  if (lines.length > TILE_SIZE) return undefined;
  for (const [index, line] of lines.entries()) {
    const item = observationIn(line);
    const position = tile * TILE_SIZE + 1 + index;
    if (item?.installationId !== installationId || decodeObservationCursor(item.cursor) !== position) return undefined;
  }
  return { positions: lines.length };
}

function observationIn(line: string) {
  try {
    return observationSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** True if the name of an object that is named by its content fits. `name` is the last part of the key. */
export function isNamedByContent(key: string, name: string, object: StoredObject): boolean {
  return parseActivityTileKey(key) === undefined || hashOf(textOf(object)) === name;
}

function textOf({ body }: StoredObject): string {
  return new TextDecoder().decode(body);
}
