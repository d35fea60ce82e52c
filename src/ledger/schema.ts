/**
 * The ledger's tables (docs/spec/intake.md#records). All keys are per installation; instants are epoch milliseconds.
 * Decimal strings are text; round ids are zero-padded to 20 digits so that text order is numeric order. `entry` and
 * `subtree` are the log of all accepted records (docs/spec/intake.md#log).
 */
export const LEDGER_APPLICATION_ID = 0x4e4f4f4e; // "NOON"
export const LEDGER_SCHEMA_VERSION = 2;

/** The kinds of facts that watermarks count, one for each record type of docs/spec/intake.md. */
export const FACT_KINDS = [
  "receipt",
  "epoch",
  "module",
  "round",
  "closure",
  "oracle",
  "submission",
  "reporter_run",
  "settlement_control",
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** Returns a round id in its stored form. */
export function paddedRound(roundId: bigint | string): string {
  return String(roundId).padStart(20, "0");
}

export const LEDGER_SCHEMA = `
CREATE TABLE installation (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- sums over all rounds of the installation, uint256
  round_work_units TEXT NOT NULL DEFAULT '0',
  round_distance_mm TEXT NOT NULL DEFAULT '0'
) STRICT;

-- number of accepted facts per kind
CREATE TABLE watermark (
  installation INTEGER NOT NULL REFERENCES installation,
  kind TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (installation, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipt (
  installation INTEGER NOT NULL,
  position INTEGER NOT NULL,
  telemetry_id TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  counter_epoch TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  observed_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  cumulative_work_units TEXT NOT NULL,
  provenance TEXT NOT NULL,
  software_version TEXT NOT NULL,
  core_status TEXT NOT NULL,
  rpm_milli INTEGER NOT NULL,
  speed_mm_per_second INTEGER NOT NULL,
  distance_mm INTEGER NOT NULL,
  PRIMARY KEY (installation, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX receipt_telemetry ON receipt (installation, telemetry_id);
CREATE UNIQUE INDEX receipt_sequence ON receipt (installation, boot_id, sequence);

-- first and newest receipt of each counter epoch, which hold the state of the counters
CREATE TABLE counter_epoch (
  installation INTEGER NOT NULL,
  counter_epoch TEXT NOT NULL,
  first_position INTEGER NOT NULL,
  last_position INTEGER NOT NULL,
  PRIMARY KEY (installation, counter_epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE epoch_approval (
  installation INTEGER NOT NULL,
  counter_epoch TEXT NOT NULL,
  approved_at INTEGER NOT NULL,
  PRIMARY KEY (installation, counter_epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE module (
  installation INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  module_type TEXT NOT NULL,
  driver_id TEXT NOT NULL,
  module_version TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  state TEXT NOT NULL,
  observed_at INTEGER NOT NULL,
  provenance TEXT NOT NULL,
  health_checked_at INTEGER NOT NULL,
  PRIMARY KEY (installation, instance_id)
) STRICT, WITHOUT ROWID;

-- seq is the order of arrival
CREATE TABLE round (
  seq INTEGER PRIMARY KEY,
  installation INTEGER NOT NULL,
  round_id TEXT NOT NULL,
  work_units TEXT NOT NULL,
  distance_mm TEXT,
  eligible INTEGER NOT NULL,
  closed_at INTEGER NOT NULL,
  UNIQUE (installation, round_id)
) STRICT;

CREATE TABLE closure (
  seq INTEGER PRIMARY KEY,
  installation INTEGER NOT NULL,
  first_round TEXT NOT NULL,
  last_round TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  UNIQUE (installation, first_round)
) STRICT;
CREATE INDEX closure_accepted ON closure (installation, accepted_at);

CREATE TABLE oracle_block (
  installation INTEGER NOT NULL,
  at INTEGER NOT NULL,
  blocked_reason TEXT,
  PRIMARY KEY (installation, at)
) STRICT, WITHOUT ROWID;

-- the current state of each submission
CREATE TABLE submission (
  installation INTEGER NOT NULL,
  submission_id TEXT NOT NULL,
  lifecycle TEXT NOT NULL,
  previous_settled_through_round TEXT NOT NULL,
  settled_through_round TEXT NOT NULL,
  active_round_count INTEGER NOT NULL,
  expected_cumulative_work TEXT NOT NULL,
  expected_block_height TEXT NOT NULL,
  expected_current_work TEXT NOT NULL,
  expected_completed_block_count TEXT NOT NULL,
  transaction_hash TEXT,
  prepared_at INTEGER NOT NULL,
  submitted_at INTEGER,
  terminal_at INTEGER,
  confirmed_at INTEGER,
  outcome_code TEXT,
  -- watermark of the fact that last changed the submission, for followers
  changed_seq INTEGER NOT NULL,
  PRIMARY KEY (installation, submission_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX submission_prepared ON submission (installation, prepared_at, submission_id);
-- indexes only active submissions, which are few
CREATE INDEX submission_active ON submission (installation, prepared_at, submission_id)
  WHERE lifecycle IN ('preparing', 'submitted', 'retrying');
CREATE INDEX submission_changed ON submission (installation, changed_seq);

-- every accepted record of a submission, normalised, to recognise late duplicates
CREATE TABLE submission_record (
  installation INTEGER NOT NULL,
  submission_id TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (installation, submission_id, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE reporter_run (
  installation INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  result TEXT,
  PRIMARY KEY (installation, started_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX reporter_run_finished ON reporter_run (installation, finished_at, started_at);

CREATE TABLE settlement_control (
  installation INTEGER NOT NULL,
  at INTEGER NOT NULL,
  settlement_enabled INTEGER NOT NULL,
  reporter_environment_enabled INTEGER NOT NULL,
  blocked_reason TEXT,
  incident_open INTEGER NOT NULL,
  PRIMARY KEY (installation, at)
) STRICT, WITHOUT ROWID;

-- One row for each accepted record of all installations, in the order of acceptance. Rows are never changed or deleted.
CREATE TABLE entry (
  -- from 0, without gaps
  entry_index INTEGER PRIMARY KEY,
  installation INTEGER NOT NULL,
  -- of a receipt, whose text is made from its columns
  position INTEGER,
  -- the text of any other record
  record TEXT,
  -- hash of the text
  leaf BLOB NOT NULL
) STRICT;

-- Hashes of complete subtrees: one of level L joins 256 of level L - 1. Leaves are level 0.
CREATE TABLE subtree (
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID;

-- the stream that the ledger follows (docs/spec/intake.md#stream); without a row it follows none
CREATE TABLE followed_stream (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- filter; null for all messages
  subject TEXT,
  -- the last message taken, or the one before the first to take
  sequence INTEGER NOT NULL,
  -- when the stream stored that message, and the SHA-256 of its payload; null before the first message
  time INTEGER,
  sha256 TEXT,
  -- number of intake's rules
  rules INTEGER NOT NULL
) STRICT;
`;
