/**
 * Plans the objects of the log (docs/spec/publishing.md#log). The checkpoint is the commit point of everything that is
 * computed from facts: a response is put only after a checkpoint that covers its facts.
 */
import { checkpointKey, type LogRoot, logPrefix, PRIVATE_LOGS, PUBLIC_LOGS } from "../../src/http/keys.ts";
import {
  contains,
  entryTexts,
  type LogPoint,
  logSize,
  rootOf,
  rootWithin,
  subtreeHashes,
} from "../../src/ledger/log.ts";
import { type Checkpoint, checkpointText } from "../../src/log/checkpoint.ts";
import { PRIVATE_BUNDLE_TYPE, packBundle, unpackBundle } from "../../src/log/private-bundle.ts";
import { originOf } from "../../src/log/public-log.ts";
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
import { encodeWriterMetadata, type SourceVersion } from "../../src/object-store/stored-response.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import type { Known } from "../known.ts";
import { WAS_DAMAGED } from "../report.ts";
import { committedSize, type LogState, storedCheckpoint } from "./log-state.ts";
import { DELETIONS_LIMIT, type Deletion, type Planning, type Put, type StoreLookup } from "./plan.ts";

/** At most so many bundles per plan, so that a long log needs little memory. */
const BUNDLES_LIMIT = 64;
/** A reader may be in the middle of a smaller tree. So partial files stay for this time after the full one is stored. */
const PARTIAL_KEPT_MS = 3_600_000;
const BINARY = "application/octet-stream";
const TEXT = "text/plain; charset=utf-8";

/** Returns where a publisher stores its log. Without a key it is stored for recovery only. */
export function logRoot(signers: readonly Signer[]): LogRoot {
  return signers.length === 0 ? PRIVATE_LOGS : PUBLIC_LOGS;
}

export interface LogPlan {
  /** Names below the log's prefix that must be listed first. */
  readonly lookups: readonly StoreLookup[];
  readonly puts: readonly Put[];
  /** The plan commits all entries of the ledger. */
  readonly isWhole: boolean;
}

/**
 * Plans the entries after the published ones, and the checkpoint that commits them. A long log goes up in several plans, each
 * with a checkpoint. But readers may remember a lost checkpoint, and nobody knows its size: the next one commits all entries.
 */
export function planLog(state: LogState, { known, at, signers }: Pick<Planning, "known" | "at" | "signers">): LogPlan {
  const { number, now, published } = state;
  if (now === undefined || now.size === 0) return { lookups: [], puts: [], isWhole: true };
  const planned = { number, now, known, at, signers, prefix: logPrefix(logRoot(signers), number) };
  const checkpoint = known.objects.get(`${planned.prefix}checkpoint`);
  const isStored = checkpoint?.condition === "stored";
  const isLost = published !== undefined && storedCheckpoint(known, number) === undefined;
  // A log that was just made public has its checkpoint at the other place, and begins at its first entry.
  const since = isStored ? committedSize(checkpoint) : isLost ? published.size : 0;
  const isCommitted = isStored && since === now.size && checkpoint.sourceVersion.keys === keysOf(signers);
  const limit = isLost ? now.size : (Math.floor(since / TILE_WIDTH) + BUNDLES_LIMIT) * TILE_WIDTH;
  const size = Math.min(now.size, limit);
  const grown = isCommitted ? [] : [...filesOf(planned.prefix, since, size)];
  const lookups = grown.flatMap(({ partials }) =>
    partials === undefined || known.listings.names(partials) !== undefined
      ? []
      : [{ is: "listing", prefix: partials } as const],
  );
  if (lookups.length > 0) return { lookups, puts: [], isWhole: false };
  const keys = new Set(grown.map(({ key }) => key));
  const faulty = faultyFiles(planned, since).filter(({ key }) => !keys.has(key));
  const files = [
    ...faulty.map((file) => ({ ...filePut(file, planned), why: WAS_DAMAGED })),
    ...grown.map((file) => filePut(file, planned)),
  ];
  const puts = isCommitted ? files : [...files, checkpointPut(size, planned, files)];
  return { lookups, puts, isWhole: size === now.size };
}

/** A bundle of entries or a tile of hashes. */
interface LogFile {
  readonly key: string;
  /** The entries of the log up to the file's last one. */
  readonly size: number;
  /** False while the file's object is replaced by a longer one, or by another key. */
  readonly isFull: boolean;
  /** Prefix of the smaller versions of the file; undefined if it never had one, or keeps its key while it grows. */
  readonly partials: string | undefined;
  /** The object is a packed bundle. */
  readonly isPrivate: boolean;
  readonly body: (ledger: ReadOnlyDatabase) => Uint8Array;
}

/** Yields the files that a log of `size` entries has and a log of `since` entries has not. */
function* filesOf(prefix: string, since: number, size: number): Generator<LogFile> {
  const isPublic = prefix.startsWith(PUBLIC_LOGS);
  for (const bundle of newBundles(since, size)) {
    const body = (ledger: ReadOnlyDatabase) => bundleOf(bundle, ledger);
    const path = (width: number) => prefix + bundlePath({ ...bundle, width });
    // Only the operator reads a private log, so its last bundle keeps its key while it grows.
    if (isPublic) yield publicFile(path, { ...bundle, level: 0 }, since, body);
    else yield { key: path(TILE_WIDTH), ...extentOf(bundle, 0), partials: undefined, isPrivate: true, body };
  }
  if (!isPublic) return;
  for (const tile of newTiles(since, size)) {
    const path = (width: number) => prefix + tilePath({ ...tile, width });
    yield publicFile(path, tile, since, (ledger) => tileOf(tile, ledger));
  }
}

function publicFile(
  path: (width: number) => string,
  { level, ...bundle }: Tile,
  since: number,
  body: LogFile["body"],
): LogFile {
  const extent = extentOf(bundle, level);
  const before = hashesOfLevel(since, level) - bundle.index * TILE_WIDTH;
  const partials = !extent.isFull || before > 0 ? `${path(TILE_WIDTH)}.p/` : undefined;
  return { key: path(bundle.width), ...extent, partials, isPrivate: false, body };
}

function extentOf({ index, width }: Bundle, level: number): Pick<LogFile, "size" | "isFull"> {
  return { size: (index * TILE_WIDTH + width) * TILE_WIDTH ** level, isFull: width === TILE_WIDTH };
}

interface GrowingBundle {
  /** The log of which it has the last entries. */
  readonly point: LogPoint;
  readonly bytes: Uint8Array;
}

/** The last bundle that was encoded: with the next entry it only gets longer. */
const growing = new WeakMap<ReadOnlyDatabase, GrowingBundle>();

function bundleOf({ index, width }: Bundle, ledger: ReadOnlyDatabase): Uint8Array {
  const from = index * TILE_WIDTH;
  const size = from + width;
  if (width === TILE_WIDTH) return encoded(ledger, from, size);
  const last = growing.get(ledger);
  const continues = last !== undefined && last.point.size > from && last.point.size <= size;
  const before = continues && contains(ledger, last.point) ? last : { point: { size: from }, bytes: new Uint8Array() };
  const bytes = Buffer.concat([before.bytes, encoded(ledger, before.point.size, size)]);
  growing.set(ledger, { point: { size, root: rootWithin(ledger, size) }, bytes });
  return bytes;
}

function encoded(ledger: ReadOnlyDatabase, from: number, to: number): Uint8Array {
  return from === to
    ? new Uint8Array()
    : encodeBundle([...entryTexts(ledger, from, to)].map((text) => Buffer.from(text)));
}

function tileOf({ level, index, width }: Tile, ledger: ReadOnlyDatabase): Uint8Array {
  const from = index * TILE_WIDTH;
  return encodeTile(subtreeHashes(ledger, level, from, from + width));
}

/** The committed files that are damaged or missing, as far as it is known. */
function faultyFiles({ prefix, known }: PlannedLog, since: number): LogFile[] {
  const faulty = new Set(known.tiles.faulty(prefix));
  const last = filesOf(prefix, since - (since % TILE_WIDTH), since);
  const isFaulty = ({ key }: LogFile) =>
    faulty.has(key) || (known.objects.get(key)?.condition ?? "stored") !== "stored";
  return [...(faulty.size === 0 ? last : filesOf(prefix, 0, since))].filter(isFaulty);
}

/** A file of a published log, for a check of the stored one. */
export interface CommittedFile {
  readonly key: string;
  /** Returns what the content must begin with; undefined if the ledger does not reach so far. */
  readonly expected: (ledger: ReadOnlyDatabase) => Uint8Array | undefined;
  /** Returns the content of the object's body. Throws `log_malformed`. */
  readonly contentOf: (body: Uint8Array) => Uint8Array;
  /** False if the log may have replaced the file by a longer one since, and deleted it. */
  readonly isCurrent: () => boolean;
}

/** Yields the files of the committed log. */
export function* committedFiles(known: Known, signers: readonly Signer[]): Generator<CommittedFile> {
  const prefix = logPrefix(logRoot(signers), known.log ?? 0);
  const committed = () => known.objects.get(`${prefix}checkpoint`)?.sourceVersion.size ?? 0;
  const before = committed();
  for (const { key, size, isFull, isPrivate, body } of filesOf(prefix, 0, before)) {
    const expected = (ledger: ReadOnlyDatabase) => (logSize(ledger) < size ? undefined : body(ledger));
    const isCurrent = () => isFull || committed() === before;
    yield { key, expected, contentOf: isPrivate ? unpackBundle : (stored) => stored, isCurrent };
  }
}

interface PlannedLog {
  readonly number: number;
  readonly prefix: string;
  /** The log of the snapshot that was checked. */
  readonly now: LogPoint;
  readonly known: Known;
  readonly at: number;
  readonly signers: readonly Signer[];
}

const ROW = { resource: "observations", status: 200, etag: null, isFromFacts: false } as const;

/** Another publisher may have put a file with other entries after the checkpoint; such a file is replaced. */
function filePut(file: LogFile, { number, now, known, at }: PlannedLog): Put {
  const { key, isFull, partials, isPrivate } = file;
  const before = known.objects.get(key);
  return {
    ...ROW,
    key,
    phase: "log-files",
    why: before === undefined ? "new" : "grew",
    action: before === undefined ? "created" : "updated",
    replaces: before?.tag ?? null,
    after: [],
    isContentEnough: true,
    object({ epoch, writer }, snapshot) {
      const content = snapshot(({ ledger }) =>
        ledger !== undefined && contains(ledger, now) ? file.body(ledger) : undefined,
      );
      if (content === undefined) return undefined;
      const form = isPrivate
        ? { body: packBundle(content), contentType: PRIVATE_BUNDLE_TYPE }
        : { body: content, contentType: BINARY };
      const sourceVersion = { at, log: number, size: file.size };
      return { ...form, metadata: encodeWriterMetadata({ epoch, writer, sourceVersion }) };
    },
    confirmed(to, tag, object) {
      to.tiles.rememberRewritten(key);
      if (partials !== undefined) return confirmPartials(to, file, partials, at);
      // A full file never changes.
      if (isFull) return;
      const rest = { states: [], status: 200, bytes: object.body.length, etag: null, putAt: at };
      to.objects.remember({ key, condition: "stored", tag, sourceVersion: { at, log: number }, ...rest });
    },
    conflicted: (to, found) => (found === undefined ? to.objects.drop(key) : to.objects.rememberFaulty(key, found.tag)),
  };
}

/** Records a partial file. Once the full one is stored, nothing needs the partial ones any more. */
function confirmPartials(known: Known, { key, isFull }: LogFile, partials: string, at: number): void {
  if (!isFull) return known.listings.setName(partials, key.slice(partials.length), null);
  for (const [name, since] of known.listings.names(partials) ?? [])
    if (since === null) known.listings.setName(partials, name, at);
}

/** Plans the deletion of partial files whose full file is stored, and of the checkpoint of a log that is public now. */
export function plannedLogDeletions(known: Known, signers: readonly Signer[], at: number): Deletion[] {
  const deletions: Deletion[] = [];
  for (const prefix of known.listings.prefixes()) {
    if (!prefix.startsWith(PUBLIC_LOGS)) continue;
    for (const [name, since] of known.listings.names(prefix) ?? []) {
      if (since === null || at - since < PARTIAL_KEPT_MS || deletions.length === DELETIONS_LIMIT) continue;
      deletions.push({ key: prefix + name, confirmed: (to) => partialDeleted(to, prefix, name) });
    }
  }
  const { log: number } = known;
  if (signers.length === 0 || number === undefined) return deletions;
  const own = known.objects.get(checkpointKey(PUBLIC_LOGS, number));
  const former = known.objects.get(checkpointKey(PRIVATE_LOGS, number));
  if (own?.condition === "stored" && former?.condition === "stored" && committedSize(own) >= committedSize(former)) {
    deletions.push({ key: former.key, confirmed: (to) => to.objects.rememberFaulty(former.key, null) });
  }
  return deletions;
}

function partialDeleted(known: Known, prefix: string, name: string): void {
  known.listings.deleteName(prefix, name);
  if (known.listings.names(prefix)?.size === 0) known.listings.drop(prefix);
}

/** The ids of the keys that sign a checkpoint; undefined for an unsigned one. */
function keysOf(signers: readonly Signer[]): string | undefined {
  return signers.length === 0 ? undefined : signers.map(({ verifier }) => verifier.id).join(",");
}

/** Returns the first line of a log's checkpoints. */
function originFor(number: number, signers: readonly Signer[]): string {
  const name = signers[0]?.verifier.name;
  return name === undefined ? logPrefix(PRIVATE_LOGS, number).slice(0, -1) : originOf(name, number);
}

function checkpointBody(checkpoint: Checkpoint, signers: readonly Signer[]): Buffer {
  const text = checkpointText(checkpoint);
  return Buffer.from(signers.length === 0 ? text : signNote(text, signers));
}

function checkpointPut(
  size: number,
  { number, prefix, now, known, at, signers }: PlannedLog,
  files: readonly Put[],
): Put {
  const key = `${prefix}checkpoint`;
  const before = known.objects.get(key);
  const keys = keysOf(signers);
  let version: SourceVersion = { at, log: number };
  return {
    ...ROW,
    key,
    phase: "checkpoint",
    why: before?.condition === "stored" ? "grew" : before?.condition === "absent" ? "new" : WAS_DAMAGED,
    action: before?.condition === "stored" ? "updated" : "created",
    replaces: before?.tag ?? null,
    after: files.map((put) => put.key),
    isContentEnough: false,
    object({ epoch, writer }, snapshot) {
      const root = snapshot(({ ledger }) =>
        ledger !== undefined && contains(ledger, now) ? rootOf(ledger, size) : undefined,
      );
      if (root === undefined) return undefined;
      version = { at, log: number, size, root, ...(keys === undefined ? {} : { keys }) };
      const body = checkpointBody({ origin: originFor(number, signers), size, root }, signers);
      return { body, contentType: TEXT, metadata: encodeWriterMetadata({ epoch, writer, sourceVersion: version }) };
    },
    confirmed(to, tag, object) {
      const rest = { states: [], status: 200, bytes: object.body.length, etag: null, putAt: at };
      to.objects.remember({ key, condition: "stored", tag, sourceVersion: version, ...rest });
      const { root = "" } = version;
      to.rows.keepCheckpoint(checkpointBody({ origin: originFor(number, []), size, root }, []));
    },
    conflicted: (to) => to.objects.forget(key),
  };
}
