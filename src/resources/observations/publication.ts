/** The index that names the installations and the histories in which their observations stand. */
import { encodeIndexShard, encodeShardedIndex, encodeWholeIndex, type HistoryNames } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Publication } from "../publication.ts";

export function wholeIndexPublication(configured: string, histories: HistoryNames): Publication {
  return indexObject(INSTALLATIONS_KEY, () => encodeWholeIndex({ configured, histories }));
}

export function shardedIndexPublication(configured: string, shards: number): Publication {
  return indexObject(INSTALLATIONS_KEY, () => encodeShardedIndex({ configured, shards }));
}

export function indexShardPublication(key: string, histories: HistoryNames): Publication {
  return indexObject(key, () => encodeIndexShard(histories));
}

function indexObject(key: string, text: () => string): Publication {
  return {
    resource: "observations",
    key,
    installationId: null,
    inputs: text,
    build() {
      const body = text();
      return { status: 200, headers: {}, body, identity: body };
    },
  };
}
