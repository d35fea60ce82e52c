/** What an index names, in one object or in shards, as far as it could be read. */
import { type HistoryNames, shardKey, shardKeyOf } from "../http/installations.ts";
import type { Facts } from "./facts.ts";
import type { Finding } from "./rules.ts";

export interface IndexNames {
  readonly configured: string;
  /** Those that could be read. */
  readonly histories: HistoryNames;
  /** Whether what would name an installation could be read. */
  isReadable(installationId: string): boolean;
}

/** Undefined where the index is missing or damaged. */
export function indexNames({ index, shards }: Pick<Facts, "index" | "shards">): IndexNames | undefined {
  if (index === undefined) return undefined;
  if ("histories" in index) return { ...index, isReadable: () => true };
  const histories = new Map<string, string>();
  for (let shard = 0; shard < index.shards; shard++) {
    for (const [id, history] of shards.get(shardKey(shard, index.shards)) ?? []) histories.set(id, history);
  }
  return {
    configured: index.configured,
    histories,
    isReadable: (id) => shards.has(shardKeyOf(id, index.shards)),
  };
}

/** Shards that are missing, and ids that nobody looks for in the shard they stand in. */
export function* shardFindings({ index, shards, keys }: Facts): Generator<Finding> {
  if (index === undefined || "histories" in index) return;
  for (let shard = 0; shard < index.shards; shard++) {
    const key = shardKey(shard, index.shards);
    if (!keys.has(key))
      yield { rule: "index-missing", key, says: `the index has ${index.shards} shards, and it is not there` };
    const stray = [...(shards.get(key)?.keys() ?? [])].find((id) => shardKeyOf(id, index.shards) !== key);
    if (stray !== undefined)
      yield { rule: "index-entry", key, says: `it names ${stray}, which belongs into another shard` };
  }
}
