/** The rules of `noonmark fsck` by name (docs/fsck.md). */
export const RULES = {
  damaged: "an object is readable, and its SHA-256 is right",
  "foreign-key": "a key is one that a publisher writes",
  "content-type": "an object has the content type of its kind",
  writer: "an object's metadata have epoch, writer and source version",
  "source-version-future": "no object, and no cycle in the lease, is more than a minute ahead of the clock",
  answer: "a response's status, headers and fingerprints are readable",
  body: "a body follows its schema",
  installation: "a body is of the installation that its key belongs to",
  tag: "a response's ETag is its body's revision; a file's is the hash of its bytes",
  successors: "successors are in order, edit the body within its bounds, and give bodies that follow the schema",
  "constant-missing": "a constant that a successor names is stored",
  "observation-tile": "a tile of observations has its own positions, ascending and without a gap, 128 at most",
  "tile-position": "a tile of observations names its last receipt",
  "tile-gap": "the tiles of a log start at 0 and have no gap, and all but the last are full",
  "tile-log": "tiles of observations belong to a log that the index names",
  log: "a log's checkpoint and bundles of entries are readable, and belong to their log",
  "log-root": "the stored entries of a log hash into the root of its checkpoint",
  "log-ahead": "no response is computed from more entries than its log's checkpoint commits",
  lifetime: "the lifetime totals of statistics are the sums of the stored log's rounds and submissions",
  "index-missing": "a store with responses has an index of installations",
  "index-entry": "the index names the configured installation; each named one has telemetry",
  "activity-tile": "an activity tile has its events or tiles in order, and the hash of its bytes as its name",
  "activity-missing": "a tile that a head or an index tile names is stored, and has the right kind",
  "activity-order":
    "tiles end where their entry says, follow each other, and all but the oldest have at least 99 events",
  "activity-source-version": "no head is older than a tile that it names",
  orphan: "a tile that nothing names is deleted after an hour",
  lease: "the lease is readable and agrees with its metadata",
  "private-status": "the private status is readable and agrees with its metadata",
  "lease-missing": "a store with objects has a lease",
  epoch: "no object has a higher epoch than the lease",
  "probe-left": "the object that a start tests the store with is deleted",
  "answer-missing": "a response in the publisher's status is stored",
  "asset-missing": "an asset that a page loads is stored",
} as const;

export type Rule = keyof typeof RULES;

export interface StoreFinding {
  readonly rule: Rule;
  readonly key: string;
  /** The problem, in one clause. */
  readonly says: string;
}
