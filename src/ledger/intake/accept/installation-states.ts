/**
 * The state of each installation while a batch is taken in: its watermarks, the sums of its facts and rounds, the
 * counters of its epochs. Read once, moved in memory, written at the end of the batch in the batch's own transaction.
 */
import type { Database } from "better-sqlite3";
import { readRow, run, statement } from "../../../sqlite/statement.ts";
import { RECEIPTS_PER_SUM, readFactSum } from "../../read/changes.ts";
import type { FactKind } from "../../schema.ts";
import { installationRowId, readWatermarks, type Watermarks } from "../../watermarks.ts";
import type { IntakeRecord } from "../decode/records.ts";
import { FactHash, FactSum64, type Hash64 } from "./fact-hash.ts";

export interface InstallationState {
  /** 0 until its first accepted record, from which on it exists. */
  rowId: number;
  readonly id: string;
  readonly watermarks: Watermarks;
  roundWorkUnits: bigint;
  roundDistanceMm: bigint;
  readonly epochs: Map<string, EpochCounters>;
  /** Kinds that have changed since the last `save`: the sum of the facts' hashes. */
  readonly moved: Map<FactKind, FactSum64>;
}

/** The counters of an epoch's newest receipt. */
export interface EpochCounters {
  firstPosition: number;
  lastPosition: number;
  cumulativeWorkUnits: string;
  distanceMm: number;
  moved: boolean;
}

/** How much is kept from one batch to the next, so that memory does not grow with the input. */
const INSTALLATIONS_LIMIT = 256;
const EPOCHS_LIMIT = 1024;

export class InstallationStates {
  readonly db: Database;
  readonly #byId = new Map<string, InstallationState>();
  readonly #hash = new FactHash();
  #dataVersion: unknown;

  constructor(db: Database) {
    this.db = db;
  }

  /** Called in each transaction first: forgets what another process may have changed meanwhile. */
  refresh(): void {
    const version = readRow<{ data_version: number }>(this.db, "PRAGMA data_version")?.data_version;
    if (version !== this.#dataVersion) this.forget();
    this.#dataVersion = version;
  }

  /** After a rollback: nothing that was moved has happened. */
  forget(): void {
    this.#byId.clear();
  }

  of(id: string): InstallationState {
    let state = this.#byId.get(id);
    if (state === undefined) this.#byId.set(id, (state = this.#read(id)));
    return state;
  }

  /** The counters of an epoch; undefined before its first receipt. */
  epoch(state: InstallationState, counterEpoch: string): EpochCounters | undefined {
    const known = state.epochs.get(counterEpoch);
    if (known !== undefined) return known;
    const row = readRow<Omit<EpochCounters, "moved">>(this.db, READ_EPOCH, state.rowId, counterEpoch);
    if (row === undefined) return undefined;
    const epoch = { ...row, moved: false };
    state.epochs.set(counterEpoch, epoch);
    return epoch;
  }

  /** Makes the installation exist, and gives its number. */
  exist(state: InstallationState): number {
    if (state.rowId === 0) {
      const insert = statement<[string]>(this.db, "INSERT INTO installation (id) VALUES (?)");
      state.rowId = Number(insert.run(state.id).lastInsertRowid);
    }
    return state.rowId;
  }

  /** Counts a fact that has been accepted. */
  count(state: InstallationState, fact: IntakeRecord, hash: Hash64 = this.#hash.of(fact)): void {
    const kind = fact.type;
    let sum = state.moved.get(kind);
    if (sum === undefined) {
      // Without a sum yet, it begins here, and the earlier facts are its base.
      sum = new FactSum64(readFactSum(this.db, state.rowId, kind, state.watermarks[kind]).sum ?? 0n);
      state.moved.set(kind, sum);
    }
    sum.add(hash);
    const count = ++state.watermarks[kind];
    if (kind !== "receipt" || count % RECEIPTS_PER_SUM === 0) this.#saveSum(state, kind, sum);
  }

  #saveSum({ rowId, watermarks }: InstallationState, kind: FactKind, sum: FactSum64): void {
    run(this.db, SAVE_CHANGE, rowId, kind, watermarks[kind], BigInt.asIntN(64, sum.value));
  }

  /** Called in each transaction last. */
  save(): void {
    for (const state of this.#byId.values()) this.#save(state);
    if (this.#byId.size > INSTALLATIONS_LIMIT) this.#byId.clear();
  }

  #read(id: string): InstallationState {
    const rowId = installationRowId(this.db, id) ?? 0;
    const sums = readRow<{ work: string; distance: string }>(
      this.db,
      "SELECT round_work_units AS work, round_distance_mm AS distance FROM installation WHERE no = ?",
      rowId,
    );
    return {
      rowId,
      id,
      watermarks: readWatermarks(this.db, rowId),
      roundWorkUnits: BigInt(sums?.work ?? 0),
      roundDistanceMm: BigInt(sums?.distance ?? 0),
      epochs: new Map(),
      moved: new Map(),
    };
  }

  #save(state: InstallationState): void {
    for (const [kind, sum] of state.moved) {
      // Also if this sum is saved already: the newest change says what raised the watermark.
      this.#saveSum(state, kind, sum);
      run(this.db, SAVE_WATERMARK, state.rowId, kind, state.watermarks[kind]);
    }
    if (state.moved.has("round")) {
      run(
        this.db,
        "UPDATE installation SET round_work_units = ?, round_distance_mm = ? WHERE no = ?",
        String(state.roundWorkUnits),
        String(state.roundDistanceMm),
        state.rowId,
      );
    }
    if (state.moved.has("receipt")) {
      for (const [counterEpoch, epoch] of state.epochs) {
        if (!epoch.moved) continue;
        run(this.db, SAVE_EPOCH, state.rowId, counterEpoch, epoch.firstPosition, epoch.lastPosition);
        epoch.moved = false;
      }
      if (state.epochs.size > EPOCHS_LIMIT) state.epochs.clear();
    }
    state.moved.clear();
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

const SAVE_CHANGE = "INSERT OR REPLACE INTO change (installation, kind, count, sum) VALUES (?, ?, ?, ?)";

const SAVE_WATERMARK = `
INSERT INTO watermark VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET value = excluded.value`;
