/**
 * Holds the state of each installation while a batch is ingested: watermarks, sums of rounds, epoch counters. Reads it
 * once, updates it in memory, and writes it at the end of the batch in the batch's transaction.
 */
import type { Database } from "better-sqlite3";
import { readRow, run } from "../../../sqlite/statement.ts";
import { namesOf } from "../../../values/unknown.ts";
import { LogWriter } from "../../log.ts";
import type { FactKind } from "../../schema.ts";
import { installationRowId, readWatermarks, type Watermarks } from "../../watermarks.ts";

/** The counters of an epoch's newest receipt. */
export interface EpochCounters {
  firstPosition: number;
  lastPosition: number;
  cumulativeWorkUnits: string;
  distanceMm: number;
  /** True if the epoch changed since the last `save`. */
  hasChanged: boolean;
}

/** Limits of the entries cached between batches, so that memory does not grow with the input. */
const INSTALLATIONS_LIMIT = 256;
const EPOCHS_LIMIT = 1024;

export class Installations {
  readonly #db: Database;
  readonly #log: LogWriter;
  readonly #byId = new Map<string, Installation>();
  #dataVersion: unknown;

  constructor(db: Database) {
    this.#db = db;
    this.#log = new LogWriter(db);
  }

  /** Must be called at the start of each transaction: drops the cache if another process changed the ledger. */
  refresh(): void {
    const version = readRow<{ data_version: number }>(this.#db, "PRAGMA data_version")?.data_version;
    if (version !== this.#dataVersion) this.forget();
    this.#dataVersion = version;
  }

  /** Must be called after a rollback: drops the uncommitted state. */
  forget(): void {
    this.#byId.clear();
    this.#log.forget();
  }

  of(id: string): Installation {
    let found = this.#byId.get(id);
    if (found === undefined) this.#byId.set(id, (found = new Installation(this.#db, id)));
    return found;
  }

  /** Adds an accepted record to the log and counts it. */
  append(installation: Installation, kind: FactKind, text: string): void {
    const count = installation.count(kind);
    this.#log.append(installation.rowId, text, kind === "receipt" ? count : null);
  }

  /** Must be called at the end of each transaction. */
  save(): void {
    for (const installation of this.#byId.values()) installation.save();
    if (this.#byId.size > INSTALLATIONS_LIMIT) this.#byId.clear();
  }
}

export class Installation {
  readonly db: Database;
  readonly id: string;
  readonly watermarks: Watermarks;
  readonly epochs = new Map<string, EpochCounters>();
  roundWorkUnits: bigint;
  roundDistanceMm: bigint;
  #rowId: number;
  /** The kinds of facts added since the last `save`. */
  readonly #changed = new Set<FactKind>();

  constructor(db: Database, id: string) {
    this.db = db;
    this.id = id;
    this.#rowId = installationRowId(db, id) ?? 0;
    this.watermarks = readWatermarks(db, this.#rowId);
    const sql = "SELECT round_work_units AS work, round_distance_mm AS distance FROM installation WHERE no = ?";
    const sums = readRow<{ work: string; distance: string }>(db, sql, this.#rowId);
    this.roundWorkUnits = BigInt(sums?.work ?? 0);
    this.roundDistanceMm = BigInt(sums?.distance ?? 0);
  }

  /** 0 until `ensureRow` adds the row, for the installation's first accepted record. */
  get rowId(): number {
    return this.#rowId;
  }

  /** Adds the installation's row if it is missing, and returns the row id. */
  ensureRow(): number {
    if (this.#rowId === 0) {
      this.#rowId = Number(run(this.db, "INSERT INTO installation (id) VALUES (?)", this.id).lastInsertRowid);
    }
    return this.#rowId;
  }

  /** Returns the counters of an epoch; undefined before its first receipt. */
  epoch(counterEpoch: string): EpochCounters | undefined {
    const known = this.epochs.get(counterEpoch);
    if (known !== undefined) return known;
    const row = readRow<Omit<EpochCounters, "hasChanged">>(this.db, READ_EPOCH, this.#rowId, counterEpoch);
    if (row === undefined) return undefined;
    const epoch = { ...row, hasChanged: false };
    this.epochs.set(counterEpoch, epoch);
    return epoch;
  }

  /** Counts a fact that has been accepted, and returns the number of its kind. */
  count(kind: FactKind): number {
    this.#changed.add(kind);
    return ++this.watermarks[kind];
  }

  save(): void {
    const { db } = this;
    for (const kind of this.#changed) run(db, SAVE_WATERMARK, this.#rowId, kind, this.watermarks[kind]);
    if (this.#changed.has("round")) {
      const sql = "UPDATE installation SET round_work_units = ?, round_distance_mm = ? WHERE no = ?";
      run(db, sql, String(this.roundWorkUnits), String(this.roundDistanceMm), this.#rowId);
    }
    if (this.#changed.has("receipt")) {
      for (const [counterEpoch, epoch] of this.epochs) {
        if (!epoch.hasChanged) continue;
        run(db, SAVE_EPOCH, this.#rowId, counterEpoch, epoch.firstPosition, epoch.lastPosition);
        epoch.hasChanged = false;
      }
      if (this.epochs.size > EPOCHS_LIMIT) this.epochs.clear();
    }
    this.#changed.clear();
  }
}

const READ_EPOCH = `
SELECT first_position AS firstPosition, last_position AS lastPosition,
       cumulative_work_units AS cumulativeWorkUnits, distance_mm AS distanceMm
FROM counter_epoch AS epoch
JOIN receipt ON receipt.installation = epoch.installation AND receipt.position = epoch.last_position
WHERE epoch.installation = ? AND epoch.counter_epoch = ?`;

const SAVE_EPOCH = `
INSERT INTO counter_epoch VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET last_position = excluded.last_position`;

const SAVE_WATERMARK = `
INSERT INTO watermark VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET value = excluded.value`;

// Conversions to stored values.

/**
 * Converts an integer for binding. better-sqlite3 binds numbers as doubles, and SQLite stores a double of 2^51 or more
 * as REAL, even if it is an integer.
 */
export function integer(value: number): number | bigint {
  return value < 2 ** 51 ? value : BigInt(value);
}

export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** Returns true if a stored row equals the incoming fact, column by column. */
export function isSame<Row extends object>(
  stored: Row,
  incoming: { readonly [Column in keyof Row]: Row[Column] },
): boolean {
  return namesOf(stored).every((column) => stored[column] === incoming[column]);
}
