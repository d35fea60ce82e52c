/**
 * The chain's SQLite file in the state directory: the events up to the safe block, and the last good snapshot. Only the
 * sync writes it. It may be deleted, because it is read again from the chain.
 */
/** The file's name in the state directory. */
export const CHAIN_FILE = "chain.db";
export const CHAIN_SCHEMA_VERSION = 3;

export const IS_FUNDING = "contract_kind = 'mining' AND event_name = 'RoundFunded'";
/** Sorts by the round, RoundFunded's first argument, padded so that text order is numeric order. */
const HIGHEST = "format('%20s', arguments ->> '$[0].value') DESC, block_number, log_index";
export const HIGHEST_FIRST = `ORDER BY ${HIGHEST}`;

export const CHAIN_SCHEMA = `
-- one row: the deployment and the sync's progress
CREATE TABLE sync (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  binding TEXT NOT NULL,
  -- a random id, replaced whenever events are removed or replaced, so that followers rewind
  history TEXT NOT NULL,
  stored_through_block INTEGER,
  stored_through_hash TEXT,
  -- epoch ms at which that block was stored
  stored_at INTEGER,
  -- tip of the last pass whose events up to tip − SAFE_DEPTH are stored
  indexed_through_block INTEGER,
  last_good_pass_at INTEGER,
  -- JSON of the last good snapshot (core, economy), or null
  snapshot TEXT,
  -- JSON of the problem and when it began, or null; only for the operator
  problem TEXT
) STRICT;

-- one row per event; arguments is a JSON array of {name, value}
CREATE TABLE event (
  block_number INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  transaction_index INTEGER NOT NULL,
  block_hash TEXT NOT NULL,
  block_timestamp INTEGER NOT NULL,
  transaction_hash TEXT NOT NULL,
  contract_kind TEXT NOT NULL,
  contract_address TEXT NOT NULL,
  event_name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  PRIMARY KEY (block_number, log_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_by_name ON event (contract_kind, event_name, block_number, log_index);
CREATE INDEX event_highest_funded ON event (${HIGHEST}) WHERE ${IS_FUNDING};
`;
