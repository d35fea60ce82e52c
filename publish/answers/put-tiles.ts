/**
 * Puts the immutable tiles that an answer names, before the answer. A crash on the way leaves tiles that nothing names;
 * what was put keeps its name and is not put again.
 */

import { StoreDamaged, type StoreObject } from "../../src/object-store/object-store.ts";
import {
  type Asof,
  encodeAnswer,
  encodeWriterMetadata,
  JSON_TYPE,
  type WriterMetadata,
} from "../../src/object-store/stored-answer.ts";
import type { ImmutableTile } from "../../src/resources/publication.ts";
import type { Snapshots } from "../../src/resources/snapshot.ts";
import { fencedPut, Superseded } from "../lease/fenced-put.ts";
import { eachLimited } from "../puts/each-limited.ts";
import type { PutTarget } from "../puts/put-target.ts";

/** In flight at once, of one answer. */
const CONCURRENCY = 8;

/** A tile is no longer what the answer that names it was planned with. */
export class TileOutdated extends Error {
  override readonly name = "TileOutdated";
}

/** Each body is read in a snapshot of its own, so that a long history is never held as a whole. */
export async function putTiles(
  groups: readonly (readonly ImmutableTile[])[],
  asof: Asof,
  sources: Snapshots,
  target: PutTarget,
): Promise<void> {
  const { epoch, writer } = target.fence;
  const writerMetadata = { epoch, writer, asof };
  const putTile = async (tile: ImmutableTile) => {
    const body = sources.snapshot((snapshot) => tile.body(snapshot));
    if (body === undefined) throw new TileOutdated(`${tile.key} has another text by now`);
    const object = objectOf(tile, Buffer.from(body), writerMetadata);
    try {
      await fencedPut(target, { key: tile.key, object, replaces: undefined });
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
      // Immutable keys are never used twice: what is there already is what we would put, unless it is damaged.
      if (error.found instanceof StoreDamaged) {
        await fencedPut(target, { key: tile.key, object, replaces: error.found.tag });
      }
    }
    sources.snapshot((snapshot) => tile.stored(snapshot));
  };
  for (const group of groups) await eachLimited(group, CONCURRENCY, putTile);
}

function objectOf({ answer }: ImmutableTile, body: Buffer, writerMetadata: WriterMetadata): StoreObject {
  if (answer === undefined) return { body, contentType: JSON_TYPE, metadata: encodeWriterMetadata(writerMetadata) };
  return encodeAnswer({ representation: answer, body, successors: [], states: [], writerMetadata });
}
