/** What `noonmark fsck` judges, by name (docs/fsck.md). A finding carries one of these names. */
export const RULES = {
  damaged: "an object is what was put: whole, readable, its SHA-256 right",
  "foreign-key": "a key is one that a publisher puts",
  "content-type": "an object has the type of its kind",
  writer: "an object says under which epoch, by whom and from what it was put",
  "asof-future": "no object is from more than a minute ahead of the clock, and no cycle that the lease names",
  answer: "an answer's status, headers and hashes are readable",
  body: "a body is what its schema says",
  installation: "a body speaks of the installation whose key it stands under",
  tag: "an answer's ETag is its body's revision; a file's is the hash of its bytes",
  successors: "scheduled versions are in order, lie within the body, and give bodies that the schema takes",
  "constant-missing": "a constant answer that a scheduled version names is there",
  "observation-tile": "a tile of observations has its own positions, ascending and without a gap, 128 at most",
  "tile-position": "a tile of observations says up to which receipt it goes",
  "tile-gap": "a history's tiles go from 0 on without a gap, and all but the last are full",
  "tile-history": "tiles of observations stand under a history that the index knows",
  "index-missing": "a store with answers has an index of installations, and all of its shards",
  "index-entry":
    "the index names the configured installation, each that it names has telemetry, and stands in its own shard",
  "activity-tile":
    "a tile of the activity has its events or tiles in order, and the hash in its name is that of its bytes",
  "activity-missing": "a tile that a head or an index tile names is there, and is of the kind it is named as",
  "activity-order": "tiles end where they are said to, follow each other, and all but the oldest have 99 events",
  "activity-asof": "no head is from before a tile that it names",
  orphan: "what nobody has named for the time of grace is deleted",
  lease: "the lease is readable and says what its metadata say",
  "private-status": "what the operator is told is readable and says what its metadata say",
  "lease-missing": "a store with objects has a lease",
  epoch: "no object has a higher epoch than the lease",
  "probe-left": "what a start tries the store with is deleted at its end",
  "answer-missing": "an answer that the publisher says it has put is there",
  "asset-missing": "what a page loads is there",
} as const;

export type Rule = keyof typeof RULES;

export interface Finding {
  readonly rule: Rule;
  readonly key: string;
  /** One clause: what is wrong. */
  readonly says: string;
}
