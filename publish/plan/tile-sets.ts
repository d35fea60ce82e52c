/**
 * Plans immutable objects whose names contain hashes: activity tiles, and the assets of the page. They are stored before the
 * object that refers to them, and deleted some time after the last reference is gone (docs/spec/publishing.md#deletions).
 */
import {
  encodeResponse,
  encodeWriterMetadata,
  JSON_TYPE,
  type SourceVersion,
} from "../../src/object-store/stored-response.ts";
import type { ImmutableTile, Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { Known } from "../known.ts";
import { WAS_DAMAGED } from "../report.ts";
import { DELETIONS_LIMIT, type Deletion, type NamedTiles, type Put } from "./plan.ts";

const TILE_PHASES = ["tiles", "index-tiles"] as const;

/** Plans the tiles that the store lacks. `set` is undefined if the set has not changed. */
export function namedTiles(
  { key: head, resource, tileSet }: Publication,
  snapshot: Snapshot,
  known: Known,
  sourceVersion: SourceVersion,
): { readonly puts: readonly Put[]; readonly set: NamedTiles | undefined } {
  if (tileSet === undefined) return { puts: [], set: undefined };
  const { prefix } = tileSet;
  const version = tileSet.version(snapshot);
  if (version === "" || known.listings.version(prefix) === version) return { puts: [], set: undefined };
  const stored = known.listings.names(prefix) ?? new Map<string, number | null>();
  const groups = tileSet.tiles(snapshot);
  const named = new Set(groups.flat().map((tile) => tile.key.slice(prefix.length)));
  const puts = groups.flatMap((group, level) =>
    group
      .filter((tile) => !stored.has(tile.key.slice(prefix.length)))
      .map((tile) =>
        putOf(tile, { resource, prefix, phase: TILE_PHASES[level] ?? "index-tiles", sourceVersion, known }),
      ),
  );
  const dropped = [...stored].filter(([name, since]) => since === null && !named.has(name)).map(([name]) => name);
  const namedAgain = [...stored].filter(([name, since]) => since !== null && named.has(name)).map(([name]) => name);
  return { puts, set: { prefix, head, version, dropped, namedAgain } };
}

/** The set of a tile that is put. */
interface TargetSet extends Pick<Put, "resource" | "phase"> {
  readonly prefix: string;
  /** The source version of the response that names it. */
  readonly sourceVersion: SourceVersion;
  readonly known: Known;
}

/** A tile's name determines its bytes, so a tile that another publisher has put will do. */
function putOf(tile: ImmutableTile, { resource, phase, prefix, sourceVersion, known }: TargetSet): Put {
  const { key, representation } = tile;
  const damaged = known.objects.get(key);
  return {
    key,
    resource,
    phase,
    why: damaged === undefined ? "new" : WAS_DAMAGED,
    action: damaged === undefined ? "created" : "updated",
    status: 200,
    etag: null,
    replaces: damaged?.tag ?? null,
    after: [],
    isFromFacts: sourceVersion.size !== undefined,
    isContentEnough: true,
    object({ epoch, writer }, snapshot) {
      const text = snapshot((now) => tile.body(now));
      if (text === undefined) return undefined;
      const body = Buffer.from(text);
      const writerMetadata = { epoch, writer, sourceVersion };
      if (representation !== undefined) {
        return encodeResponse({ representation, body, successors: [], states: [], writerMetadata });
      }
      return { body, contentType: JSON_TYPE, metadata: encodeWriterMetadata(writerMetadata) };
    },
    confirmed(to) {
      to.listings.setName(prefix, key.slice(prefix.length), null);
      to.objects.drop(key);
    },
    conflicted: (to, found) => (found === undefined ? to.objects.drop(key) : to.objects.rememberFaulty(key, found.tag)),
  };
}

/** Called when all tiles of a set and its head are stored. `at` in epoch ms. */
export function confirmTiles(known: Known, { prefix, version, dropped, namedAgain }: NamedTiles, at: number): void {
  for (const name of namedAgain) known.listings.setName(prefix, name, null);
  for (const name of dropped) known.listings.setName(prefix, name, at);
  known.listings.setVersion(prefix, version);
}

/** Plans the deletion of objects without a reference for `keptMs`. `at` in epoch ms. */
export function plannedDeletions(publications: readonly Publication[], known: Known, at: number): Deletion[] {
  const deletions: Deletion[] = [];
  for (const { key: head, tileSet } of publications) {
    if (tileSet === undefined || known.objects.get(head)?.condition !== "stored") continue;
    const { prefix, keptMs } = tileSet;
    for (const [name, since] of known.listings.names(prefix) ?? []) {
      if (since === null || at - since < keptMs || deletions.length === DELETIONS_LIMIT) continue;
      deletions.push({ key: prefix + name, confirmed: (to) => to.listings.deleteName(prefix, name) });
    }
  }
  return deletions;
}
