/**
 * Ingests facts into the ledger (docs/spec/intake.md#codes): reads chunks of NDJSON and commits whole lines in batches.
 * After a crash the ledger has a prefix of whole batches. Ingesting the same input again completes it.
 */
import type { Database } from "better-sqlite3";
import { Failure } from "../../values/failure.ts";
import { entryText } from "../entry.ts";
import { ledgerFailure } from "../ledger-failure.ts";
import { logSize } from "../log.ts";
import { accept } from "./accept/accept.ts";
import { Installations } from "./accept/installation.ts";
import { type DecodedLine, type DecodedPiece, LineDecoder } from "./decode/decode-lines.ts";
import { isFault } from "./fault.ts";
import { faultSentence, type Rejection, rejection } from "./rejection.ts";
import { type BatchSource, NO_STREAM } from "./stream-position.ts";

/**
 * Sizes of the first and the largest batch; each full batch doubles the size of the next. Telemetry ids are random, so
 * a commit writes an index page for nearly every receipt until a batch has more receipts than the index has pages. With
 * batches of 1 MiB this took two thirds of the time. The first batches are small so that progress shows early.
 */
export const FIRST_BATCH_BYTES = 1024 * 1024;
const LARGEST_BATCH_BYTES = 64 * FIRST_BATCH_BYTES;

/** Size of the pieces in which lines are decoded, so that memory stays flat. */
const PIECE_BYTES = 64 * 1024;

export interface Counts {
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: number;
}

export const NO_COUNTS: Counts = { accepted: 0, duplicate: 0, rejected: 0 };

export function sumOf(one: Counts, other: Counts): Counts {
  return {
    accepted: one.accepted + other.accepted,
    duplicate: one.duplicate + other.duplicate,
    rejected: one.rejected + other.rejected,
  };
}

/** The rules that do not depend on the ledger. */
export type IntakeRules = Pick<IntakeOptions, "now" | "genesis" | "isListed">;

export interface IntakeOptions {
  /** The first rejection stops the run and discards all its records: the whole run is one transaction. */
  readonly strict?: boolean;
  /** Returns epoch ms; later instants are rejected (docs/spec/intake.md#future). By default no instant is too late. */
  readonly now?: () => number;
  /** Start of round 0 in epoch seconds: with `now`, rounds that have not ended are rejected. */
  readonly genesis?: number | undefined;
  /** True if facts of an installation that is not in the ledger are taken. By default all are. */
  readonly isListed?: ((id: string) => boolean) | undefined;
  /** Judges each line, and commits nothing: `end` discards the one transaction. */
  readonly isTrial?: boolean;
  /** Receives rejections in line order, before their batch is committed. */
  readonly onRejected?: (rejections: readonly Rejection[]) => void;
  /** Takes part in each transaction. By default a ledger that follows a stream is refused. */
  readonly source?: BatchSource;
}

export class Intake {
  readonly #db: Database;
  readonly #strict: boolean;
  readonly #isTrial: boolean;
  readonly #isListed: ((id: string) => boolean) | undefined;
  readonly #onRejected: (rejections: readonly Rejection[]) => void;
  readonly #decoder: LineDecoder;
  readonly #installations: Installations;
  readonly #source: BatchSource;
  #counts = NO_COUNTS;
  /** Counts of the uncommitted batch. */
  #batch = { ...NO_COUNTS, bytes: 0 };
  #batchBytes = FIRST_BATCH_BYTES;
  #lineCount = 0;
  #stopped = false;

  /** `db` is a ledger open for writing (`openLedgerForIntake`). */
  constructor(db: Database, options: IntakeOptions = {}) {
    this.#db = db;
    this.#strict = options.strict ?? false;
    this.#isTrial = options.isTrial ?? false;
    this.#isListed = options.isListed;
    this.#onRejected = options.onRejected ?? (() => undefined);
    this.#decoder = new LineDecoder(options.now, options.genesis);
    this.#installations = new Installations(db);
    this.#source = options.source ?? NO_STREAM;
  }

  /** Counts of the committed batches. A stopped strict run counts only one rejected line. */
  get counts(): Counts {
    return this.#counts;
  }

  /** Lines read so far, empty ones too. */
  get lines(): number {
    return this.#lineCount;
  }

  /** True after a rejection in a strict run: later chunks are ignored. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Ingests a chunk and commits each full batch. The caller may then reuse the chunk. Throws as `flush` does. */
  write(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.byteLength && !this.#stopped; start += PIECE_BYTES) {
      this.#decoder.write(chunk.subarray(start, start + PIECE_BYTES));
      if (this.#decoder.size >= PIECE_BYTES) this.#takeAndCommit();
    }
  }

  /** Ingests a message of a stream: whole lines, the last of which may lack its LF. No batch ends within a message. */
  writeMessage(message: Uint8Array): void {
    this.#begin();
    this.#decoder.write(message);
    this.#take(this.#decoder.take(true));
    this.#commitIfFull();
  }

  /**
   * Takes the next entry of a log again (docs/spec/intake.md#replay). `index` counts from 0. Throws `Failure`
   * log_not_replayable, ledger_forked if the ledger has another number of entries, and as `flush` does. It then discards
   * the batch.
   */
  writeEntry(text: string, index: number): void {
    this.#begin();
    this.#guarded(() => {
      const size = logSize(this.#db);
      if (size !== index) {
        throw new Failure("ledger_forked", `entry ${index} of the log would be entry ${size} of ${this.#db.name}`, {
          hint: "Stop every other command that writes to this ledger, and restore to a new file.",
        });
      }
      const problem = this.#takeEntry(text);
      if (problem !== undefined) throw new Failure("log_not_replayable", `entry ${index} of the log: ${problem}`);
    });
    this.#batch.bytes += text.length;
    this.#commitIfFull();
  }

  /** Returns why a record is not the log's next entry. */
  #takeEntry(text: string): string | undefined {
    const record = this.#decoder.entry(text);
    if (isFault(record)) return faultSentence(record);
    if (entryText(record) !== text) return "it is not the canonical text of its record";
    const verdict = accept(this.#installations, record);
    if (verdict === "duplicate") return "it is a duplicate of an earlier entry";
    if (verdict !== "accepted") return faultSentence(verdict);
    this.#batch.accepted++;
    return undefined;
  }

  #takeAndCommit(): void {
    this.#take(this.#decoder.take());
    this.#commitIfFull();
  }

  #commitIfFull(): void {
    if (this.#batch.bytes < this.#batchBytes || this.#strict || this.#isTrial) return;
    this.#commit();
    this.#batchBytes = Math.min(2 * this.#batchBytes, LARGEST_BATCH_BYTES);
  }

  /**
   * Commits the whole lines so far; a strict run commits only at its end. Throws `Failure` (`ledger_locked`,
   * `disk_full`, `ledger_unusable`, `ledger_damaged`, `ledger_follows_stream`) and then discards the batch.
   */
  flush(): void {
    this.#take(this.#decoder.take());
    if (!this.#strict && !this.#isTrial) this.#commit();
  }

  /** Commits the rest, including a last line without LF, and returns the counts. Throws as `flush` does. */
  end(): Counts {
    this.#take(this.#decoder.take(true));
    if (this.#isTrial && !this.#stopped) {
      const { accepted, duplicate, rejected } = this.#batch;
      this.abort();
      return { accepted, duplicate, rejected };
    }
    this.#commit();
    return this.#counts;
  }

  /** Rolls back the uncommitted batch. */
  abort(): void {
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    this.#installations.forget();
    this.#batch = { ...NO_COUNTS, bytes: 0 };
  }

  #begin(): void {
    if (this.#db.inTransaction) return;
    this.#guarded(() => {
      this.#db.exec("BEGIN IMMEDIATE");
      this.#source.check(this.#db);
      this.#installations.refresh();
    });
  }

  #take({ lines, bytes, lineCount }: DecodedPiece): void {
    if (bytes === 0 || this.#stopped) return;
    this.#lineCount = lineCount;
    this.#begin();
    this.#guarded(() => this.#accept(lines));
    this.#batch.bytes += bytes;
    if (!this.#stopped) return;
    this.abort();
    this.#counts = { ...NO_COUNTS, rejected: 1 };
  }

  #accept(lines: readonly DecodedLine[]): void {
    const rejections: Rejection[] = [];
    for (const { line, raw, record } of lines) {
      const verdict = isFault(record) ? record : accept(this.#installations, record, this.#isListed);
      if (typeof verdict === "string") {
        this.#batch[verdict]++;
        continue;
      }
      this.#batch.rejected++;
      rejections.push(rejection(line, raw, verdict));
      if (this.#strict) {
        this.#stopped = true;
        break;
      }
    }
    if (rejections.length > 0) this.#onRejected(rejections);
  }

  #commit(): void {
    if (!this.#db.inTransaction) return;
    this.#guarded(() => {
      this.#installations.save();
      this.#source.savePosition(this.#db);
      this.#db.exec("COMMIT");
    });
    this.#counts = sumOf(this.#counts, this.#batch);
    this.#batch = { ...NO_COUNTS, bytes: 0 };
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.abort();
      throw ledgerFailure(error, this.#db.name, "write");
    }
  }
}
