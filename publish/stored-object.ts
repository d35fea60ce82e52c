/**
 * Decides if a stored object is what its key promises, for a publisher that reads it: when a plan needs it, and when the
 * scrub checks it. `noonmark fsck` has checks of its own, so that each is a second opinion on the other.
 */
import { parseIndex } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY, logPrefix, PRIVATE_LOGS, parseCheckpointKey, TILE_SIZE } from "../src/http/keys.ts";
import { type Checkpoint, parseCheckpoint } from "../src/log/checkpoint.ts";
import { parseNote } from "../src/log/note.ts";
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

/** Returns the version of a log's checkpoint or bundle of entries; undefined if the object is damaged or of another log. */
export function logObjectVersion(key: string, object: StoredObject): SourceVersion | undefined {
  try {
    const { sourceVersion } = decodeWriterMetadata(object.metadata);
    const place = parseCheckpointKey(key);
    // The store's checksum is enough for a bundle. The scrub compares it with the ledger.
    if (place === undefined) return sourceVersion;
    const { log } = place;
    if (place.root === PRIVATE_LOGS) {
      const { origin, size, root } = parseCheckpoint(textOf(object));
      return `${origin}/` === logPrefix(PRIVATE_LOGS, log) ? { at: sourceVersion.at, log, size, root } : undefined;
    }
    const { origin, size, root, keys } = signedCheckpoint(object);
    return origin.endsWith(`/log/${log}`) ? { at: sourceVersion.at, log, size, root, keys } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a signed checkpoint and the ids of its keys, separated by commas. Throws `LogError` log_malformed. */
function signedCheckpoint({ body }: StoredObject): Checkpoint & { readonly keys: string } {
  const { text, signatures } = parseNote(body);
  return { ...parseCheckpoint(text), keys: signatures.map(({ id }) => id).join(",") };
}

/** Returns how many observations a tile has; undefined unless they are its own positions, ascending and without a gap. */
export function observationCount(
  { installationId, tile }: Pick<ObservationTile, "installationId" | "tile">,
  object: StoredObject,
): number | undefined {
  const lines = textOf(object).split("\n");
  if (lines.length > TILE_SIZE) return undefined;
  for (const [index, line] of lines.entries()) {
    const item = observationIn(line);
    const position = tile * TILE_SIZE + 1 + index;
    if (item?.installationId !== installationId || decodeObservationCursor(item.cursor) !== position) return undefined;
  }
  return lines.length;
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
