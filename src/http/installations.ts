/**
 * The index (docs/spec/publishing.md#index) lists the published installations and their histories, so an unknown id
 * costs no store read. A small index is one object. A large one has shards, and a reader of one id reads only one
 * shard.
 */
import { checkFormat, FORMAT_VERSION } from "../values/format.ts";
import { INSTALLATIONS_KEY } from "./keys.ts";

/** The history id of each installation's tiles, by installation id. */
export type HistoryNames = ReadonlyMap<string, string>;

export interface WholeIndex {
  /** The single configured public installation. Its telemetry is stored at `TELEMETRY_KEY`. */
  readonly configured: string;
  readonly histories: HistoryNames;
}

export interface ShardedIndex {
  readonly configured: string;
  /** The number of shards. All are stored, and they contain the installations. */
  readonly shards: number;
}

export type InstallationIndex = WholeIndex | ShardedIndex;

/** The number of shards that this version puts; 10,000 installations make about 40 per shard. */
export const SHARDS = 256;

/** The most shards that a reader accepts. The number is part of each key. */
const MAX_SHARDS = 65_536;

/** `{"schemaVersion":1,"configured":…,"installations":{id:{"history":…}}}`, ids in code unit order. */
export function encodeWholeIndex({ configured, histories }: WholeIndex): string {
  return JSON.stringify({ schemaVersion: FORMAT_VERSION, configured, installations: entries(histories) });
}

/** `{"schemaVersion":1,"configured":…,"shards":N}` */
export function encodeShardedIndex({ configured, shards }: ShardedIndex): string {
  return JSON.stringify({ schemaVersion: FORMAT_VERSION, configured, shards });
}

/** `{"schemaVersion":1,"installations":{id:{"history":…}}}`, ids in code unit order. */
export function encodeIndexShard(histories: HistoryNames): string {
  return JSON.stringify({ schemaVersion: FORMAT_VERSION, installations: entries(histories) });
}

/** Throws a SyntaxError if the text is not an index, `Failure` format_unknown. */
export function parseIndex(text: string): InstallationIndex {
  const index: unknown = JSON.parse(text);
  checkFormat(index, INSTALLATIONS_KEY);
  if (!isRecord(index) || typeof index.configured !== "string") throw new SyntaxError("not an installations index");
  const { schemaVersion, configured, installations, shards } = index;
  if (schemaVersion !== FORMAT_VERSION) throw new SyntaxError("an installations index without its schemaVersion");
  if (installations !== undefined) return { configured, histories: parseEntries(installations) };
  if (!isShardCount(shards)) throw new SyntaxError("an installations index without its number of shards");
  return { configured, shards };
}

/** Throws a SyntaxError if the text is not a shard of an index, `Failure` format_unknown. */
export function parseIndexShard(text: string): HistoryNames {
  const shard: unknown = JSON.parse(text);
  checkFormat(shard, "a shard of the index");
  if (!isRecord(shard) || shard.schemaVersion !== FORMAT_VERSION)
    throw new SyntaxError("not a shard of an installations index");
  return parseEntries(shard.installations);
}

/** Returns the key of the shard that an id belongs to. */
export function shardKeyOf(installationId: string, shards: number): string {
  return shardKey(fnv1a(installationId) % shards, shards);
}

/** `installations/SHARDS/N`. The keys differ by number of shards, so that two layouts never overwrite each other. */
export function shardKey(shard: number, shards: number): string {
  return `${INSTALLATIONS_KEY}/${shards}/${shard}`;
}

const SHARD_KEY = new RegExp(`^${INSTALLATIONS_KEY}/([1-9][0-9]{0,4})/(0|[1-9][0-9]{0,4})$`);

export function isShardKey(key: string): boolean {
  const [, shards, shard] = SHARD_KEY.exec(key) ?? [];
  return Number(shard) < Number(shards);
}

function entries(histories: HistoryNames): Record<string, { history: string | undefined }> {
  const ids = [...histories.keys()].toSorted();
  return Object.fromEntries(ids.map((id) => [id, { history: histories.get(id) }]));
}

function parseEntries(installations: unknown): HistoryNames {
  if (!isRecord(installations)) throw new SyntaxError("no installations in the index");
  const histories = new Map<string, string>();
  for (const [id, entry] of Object.entries(installations)) {
    if (!isRecord(entry) || typeof entry.history !== "string") throw new SyntaxError(`no history for ${id}`);
    histories.set(id, entry.history);
  }
  return histories;
}

function isShardCount(shards: unknown): shards is number {
  return Number.isInteger(shards) && Number(shards) >= 1 && Number(shards) <= MAX_SHARDS;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Hashes an ASCII id to 32 bits (FNV-1a), identically in every runtime. */
function fnv1a(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return hash >>> 0;
}
