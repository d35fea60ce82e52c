/**
 * The files of the log (docs/spec/publishing.md#log): bundles of entries, tiles of hashes, and the checkpoint that
 * commits them. A public log and a private one have the same files; only a public one is signed.
 */
import { checkpointKey, type LogForm, logPrefix } from "../../src/http/keys.ts";
import { entryTexts, type LogPoint, subtreeHashes } from "../../src/ledger/log.ts";
import { checkpointText } from "../../src/log/checkpoint.ts";
import { verifierKey } from "../../src/log/note.ts";
import { type Signer, signNote } from "../../src/log/signer.ts";
import {
  type Bundle,
  bundlePath,
  encodeBundle,
  encodeTile,
  hashesOfLevel,
  newBundles,
  newTiles,
  TILE_WIDTH,
  type Tile,
  tilePath,
} from "../../src/log/tiles.ts";
import type { StoreObject } from "../../src/object-store/object-store.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { originOf } from "../../src/values/log.ts";
import type { Put } from "../put.ts";

const BINARY = "application/octet-stream";
const TEXT = "text/plain; charset=utf-8";

/** At most so many bundles are put at once, so that a long log needs little memory. */
const BUNDLES_LIMIT = 64;

/** A publisher with a key stores a public log. */
export function formOf(signers: readonly Signer[]): LogForm {
  return signers.length === 0 ? "private" : "public";
}

/** Returns the verifier keys of a public log. */
export function keysOf(signers: readonly Signer[]): string[] {
  return signers.map(({ verifier }) => verifierKey(verifier));
}

/** A part of the log's files. `size`: all files up to this size of the log are in this part or in earlier ones. */
export interface LogPart {
  readonly size: number;
  readonly puts: readonly Put[];
  /** Prefixes of partial files whose full file is among the puts. Nothing needs them an hour later. */
  readonly replaced: readonly string[];
}

/** Plans the files that a log of `to` entries has and a log of `since` entries has not, up to a limit. */
export function planLogFiles(ledger: ReadOnlyDatabase, form: LogForm, since: number, to: number): LogPart {
  const size = Math.min(to, (Math.floor(since / TILE_WIDTH) + BUNDLES_LIMIT) * TILE_WIDTH);
  const files = [...filesOf(form, since, size)];
  return {
    size,
    puts: files.map(({ key, body, partials }) => ({
      key,
      resource: "log",
      wave: "log",
      object: logFileObject(body(ledger)),
      // Other files may be there after a crash, or after another publisher that has lost its lease.
      replaces: null,
      why: partials === undefined ? "new" : "grew",
      action: "created",
      status: 200,
      etag: null,
    })),
    replaced: files.flatMap(({ isFull, partials }) => (isFull && partials !== undefined ? [partials] : [])),
  };
}

export function logFileObject(body: Uint8Array): StoreObject {
  return { body, contentType: BINARY, metadata: {} };
}

/** A bundle of entries or a tile of hashes. */
export interface LogFile {
  readonly key: string;
  /** False while the file is replaced by a longer one under another key. */
  readonly isFull: boolean;
  /** Prefix of the smaller versions of the file; undefined if it never had one. */
  readonly partials: string | undefined;
  readonly body: (ledger: ReadOnlyDatabase) => Uint8Array;
}

/** Yields the files that a log of `size` entries has and a log of `since` entries has not. */
export function* filesOf(form: LogForm, since: number, size: number): Generator<LogFile> {
  const prefix = logPrefix(form);
  for (const bundle of newBundles(since, size)) {
    const path = (width: number) => prefix + bundlePath({ ...bundle, width });
    yield fileAt(path, { ...bundle, level: 0 }, since, (ledger) => bundleOf(bundle, ledger));
  }
  for (const tile of newTiles(since, size)) {
    const path = (width: number) => prefix + tilePath({ ...tile, width });
    yield fileAt(path, tile, since, (ledger) => tileOf(tile, ledger));
  }
}

function fileAt(
  path: (width: number) => string,
  { level, index, width }: Tile,
  since: number,
  body: LogFile["body"],
): LogFile {
  const isFull = width === TILE_WIDTH;
  const before = hashesOfLevel(since, level) - index * TILE_WIDTH;
  return { key: path(width), isFull, partials: before > 0 ? `${path(TILE_WIDTH)}.p/` : undefined, body };
}

function bundleOf({ index, width }: Bundle, ledger: ReadOnlyDatabase): Uint8Array {
  const from = index * TILE_WIDTH;
  return encodeBundle([...entryTexts(ledger, from, from + width)].map((text) => Buffer.from(text)));
}

function tileOf({ level, index, width }: Tile, ledger: ReadOnlyDatabase): Uint8Array {
  const from = index * TILE_WIDTH;
  return encodeTile(subtreeHashes(ledger, level, from, from + width));
}

/** Returns the object that commits the log up to a point. */
function checkpointObject({ size, root }: LogPoint, signers: readonly Signer[]): StoreObject {
  const name = signers[0]?.verifier.name;
  const origin = name === undefined ? logPrefix("private").slice(0, -1) : originOf(name);
  const text = checkpointText({ origin, size, root });
  return { body: Buffer.from(name === undefined ? text : signNote(text, signers)), contentType: TEXT, metadata: {} };
}

export function checkpointPut(point: LogPoint, signers: readonly Signer[], replaces: Put["replaces"]): Put {
  return {
    key: checkpointKey(formOf(signers)),
    resource: "log",
    wave: "checkpoint",
    object: checkpointObject(point, signers),
    replaces,
    why: replaces === null ? "new" : "grew",
    action: replaces === null ? "created" : "updated",
    status: 200,
    etag: null,
  };
}

/** A reader may be in the middle of a smaller tree, so its partial files stay for this time (ms). */
export const PARTIAL_KEPT_MS = 3_600_000;
