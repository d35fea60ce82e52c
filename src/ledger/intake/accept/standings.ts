/**
 * Where each installation stands while a batch is taken in: its watermarks, the sums of its rounds, the counters of its
 * epochs. Read once, moved in memory, written at the end of the batch in the batch's own transaction.
 */
import type { Database } from "better-sqlite3";
import { statement } from "../../../sqlite/statement.ts";
import type { FactKind } from "../../schema.ts";
import { installationNo, readWatermarks, type Watermarks } from "../../watermarks.ts";

export interface Standing {
  /** 0 until its first accepted record, from which on it exists. */
  no: number;
  readonly id: string;
  readonly watermarks: Watermarks;
  roundWorkUnits: bigint;
  roundDistanceMm: bigint;
  readonly epochs: Map<string, EpochStanding>;
  /** What has moved since the last `save`. */
  readonly moved: Set<FactKind>;
}

/** The counters of an epoch's newest receipt. */
export interface EpochStanding {
  firstPosition: number;
  lastPosition: number;
  cumulativeWorkUnits: string;
  distanceMm: number;
  moved: boolean;
}

/** How much is kept from one batch to the next, so that memory does not grow with the input. */
const KEPT_INSTALLATIONS = 256;
const KEPT_EPOCHS = 1024;

export class Standings {
  readonly db: Database;
  readonly #byId = new Map<string, Standing>();
  #dataVersion: unknown;

  constructor(db: Database) {
    this.db = db;
  }

  /** Called in each transaction first: forgets what another process may have changed meanwhile. */
  refresh(): void {
    const version = statement<[], { data_version: number }>(this.db, "PRAGMA data_version").get()?.data_version;
    if (version !== this.#dataVersion) this.forget();
    this.#dataVersion = version;
  }

  /** After a rollback: nothing that was moved has happened. */
  forget(): void {
    this.#byId.clear();
  }

  of(id: string): Standing {
    let standing = this.#byId.get(id);
    if (standing === undefined) this.#byId.set(id, (standing = this.#read(id)));
    return standing;
  }

  /** Where an epoch's counters stand; undefined before its first receipt. */
  epoch(standing: Standing, counterEpoch: string): EpochStanding | undefined {
    const known = standing.epochs.get(counterEpoch);
    if (known !== undefined) return known;
    const row = statement<[number, string], Omit<EpochStanding, "moved">>(this.db, READ_EPOCH).get(
      standing.no,
      counterEpoch,
    );
    if (row === undefined) return undefined;
    const epoch = { ...row, moved: false };
    standing.epochs.set(counterEpoch, epoch);
    return epoch;
  }

  /** Makes the installation exist, and gives its number. */
  exist(standing: Standing): number {
    if (standing.no === 0) {
      const insert = statement<[string]>(this.db, "INSERT INTO installation (id) VALUES (?)");
      standing.no = Number(insert.run(standing.id).lastInsertRowid);
    }
    return standing.no;
  }

  /** Called in each transaction last. */
  save(): void {
    for (const standing of this.#byId.values()) this.#save(standing);
    if (this.#byId.size > KEPT_INSTALLATIONS) this.#byId.clear();
  }

  #read(id: string): Standing {
    const no = installationNo(this.db, id) ?? 0;
    const sums = statement<[number], { work: string; distance: string }>(
      this.db,
      "SELECT round_work_units AS work, round_distance_mm AS distance FROM installation WHERE no = ?",
    ).get(no);
    return {
      no,
      id,
      watermarks: readWatermarks(this.db, no),
      roundWorkUnits: BigInt(sums?.work ?? 0),
      roundDistanceMm: BigInt(sums?.distance ?? 0),
      epochs: new Map(),
      moved: new Set(),
    };
  }

  #save(standing: Standing): void {
    for (const kind of standing.moved) {
      statement(this.db, SAVE_WATERMARK).run(standing.no, kind, standing.watermarks[kind]);
    }
    if (standing.moved.has("round")) {
      statement(this.db, "UPDATE installation SET round_work_units = ?, round_distance_mm = ? WHERE no = ?").run(
        String(standing.roundWorkUnits),
        String(standing.roundDistanceMm),
        standing.no,
      );
    }
    if (standing.moved.has("receipt")) {
      for (const [counterEpoch, epoch] of standing.epochs) {
        if (!epoch.moved) continue;
        statement(this.db, SAVE_EPOCH).run(standing.no, counterEpoch, epoch.firstPosition, epoch.lastPosition);
        epoch.moved = false;
      }
      if (standing.epochs.size > KEPT_EPOCHS) standing.epochs.clear();
    }
    standing.moved.clear();
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
