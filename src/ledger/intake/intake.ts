/**
 * Taking facts into the ledger (design 2): chunks of NDJSON in, a transaction for each batch of whole lines. A crash at
 * any byte leaves a prefix of whole batches; the same input again completes it.
 */
import type { Database } from "better-sqlite3";
import { sqliteFailure } from "../../sqlite/sqlite-failure.ts";
import { accept } from "./accept.ts";
import { BatchReader } from "./batch-reader.ts";
import { BatchDecoder, type DecodedLine } from "./decode-batch.ts";
import { Fault } from "./fault.ts";
import { type Rejection, rejection } from "./rejection.ts";
import { Standings } from "./standings.ts";

/** A batch is committed once it has this many bytes: large enough that a commit costs little, small enough to hold. */
export const BATCH_BYTES = 1024 * 1024;

export interface Counts {
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: number;
}

export interface IntakeOptions {
  /** The first rejection stops the run, and nothing of it is kept: one transaction holds it all. */
  readonly strict?: boolean;
  /** The rejections of a batch, in order, before it is committed: no line is taken in before those before it are told. */
  readonly onRejected?: (rejections: readonly Rejection[]) => void;
}

export class Intake {
  readonly #db: Database;
  readonly #strict: boolean;
  readonly #onRejected: (rejections: readonly Rejection[]) => void;
  readonly #reader = new BatchReader();
  readonly #decoder = new BatchDecoder();
  readonly #standings: Standings;
  #counts = { accepted: 0, duplicate: 0, rejected: 0 };
  #stopped = false;

  /** `db` is a ledger open for writing (`openLedgerForIntake`). */
  constructor(db: Database, options: IntakeOptions = {}) {
    this.#db = db;
    this.#strict = options.strict ?? false;
    this.#onRejected = options.onRejected ?? (() => undefined);
    this.#standings = new Standings(db);
  }

  /** Of the committed batches; of a strict run that was stopped, one rejected and nothing else. */
  get counts(): Counts {
    return { ...this.#counts };
  }

  /** Lines so far, empty ones too. */
  get lines(): number {
    return this.#decoder.lines;
  }

  /** A strict run met its rejection: what is written from now on is not read. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** The chunk is kept until its lines are committed: it must not change. Throws `Failure`: see `flush`. */
  write(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.byteLength && !this.#stopped; start += BATCH_BYTES) {
      this.#reader.write(chunk.subarray(start, start + BATCH_BYTES));
      if (this.#reader.size >= BATCH_BYTES) this.flush();
    }
  }

  /**
   * Commits the whole lines so far. Throws `Failure` (`ledger_locked`, `disk_full`, `ledger_unwritable`,
   * `ledger_corrupt`): the batch is then not in the ledger.
   */
  flush(): void {
    this.#take(this.#reader.take());
  }

  /** Commits the rest, a last line without its end included, and gives the counts. Throws as `flush` does. */
  end(): Counts {
    this.#take(this.#reader.take(true));
    if (this.#strict && this.#db.inTransaction) this.#guarded(() => this.#commit());
    return this.counts;
  }

  /** Leaves nothing of an unfinished transaction, after an error elsewhere. */
  abort(): void {
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    this.#standings.forget();
  }

  #take(batch: Buffer): void {
    if (batch.length === 0 || this.#stopped) return;
    const lines = this.#decoder.decode(batch);
    this.#guarded(() => {
      if (!this.#db.inTransaction) {
        this.#db.exec("BEGIN IMMEDIATE");
        this.#standings.refresh();
      }
      const counts = this.#accept(lines);
      if (this.#stopped) {
        this.abort();
        this.#counts = { accepted: 0, duplicate: 0, rejected: 1 };
        return;
      }
      if (!this.#strict) this.#commit();
      this.#counts.accepted += counts.accepted;
      this.#counts.duplicate += counts.duplicate;
      this.#counts.rejected += counts.rejected;
    });
  }

  #accept(lines: readonly DecodedLine[]): Counts {
    const counts = { accepted: 0, duplicate: 0 };
    const rejections: Rejection[] = [];
    for (const { line, raw, record } of lines) {
      const verdict = record instanceof Fault ? record : accept(this.#standings, record);
      if (!(verdict instanceof Fault)) {
        counts[verdict]++;
        continue;
      }
      rejections.push(rejection(line, raw, verdict));
      if (this.#strict) {
        this.#stopped = true;
        break;
      }
    }
    if (rejections.length > 0) this.#onRejected(rejections);
    return { ...counts, rejected: rejections.length };
  }

  #commit(): void {
    this.#standings.save();
    this.#db.exec("COMMIT");
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.abort();
      throw sqliteFailure(error, this.#db.name, "ledger", "write");
    }
  }
}
