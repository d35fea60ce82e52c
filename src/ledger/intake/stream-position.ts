/**
 * The position of a ledger in the stream that it follows (docs/spec/intake.md#stream). It is written in the transaction
 * of the batch that reached it, so no message is lost or taken twice.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRow, readValue, run } from "../../sqlite/statement.ts";
import { Failure } from "../../values/failure.ts";
import { ledgerFailure } from "../ledger-failure.ts";
import { contains, type LogPoint, logPoint, logSize } from "../log.ts";

/**
 * The number of the rules by which intake accepts or rejects a line. Raise it with every change after which some input
 * would give other facts: ledgers that follow one stream must all hold the same facts.
 */
const INTAKE_RULES = 2;

/** A stream as its server describes it. */
interface Stream {
  readonly name: string;
  /** As the server writes it. A new stream of the same name has another instant. */
  readonly createdAt: string;
  /** The subject filter; null for all messages. */
  readonly subject: string | null;
}

/** A message that a ledger has taken. */
export interface TakenMessage {
  readonly sequence: number;
  /** When the stream stored it, epoch ms. */
  readonly time: number;
  /** The hash of its payload, in hexadecimal digits. */
  readonly sha256: string;
}

export interface StreamPosition extends Stream {
  /** The last message taken, or the one before the first to take. */
  readonly sequence: number;
  /** Null before the first message. */
  readonly message: TakenMessage | null;
  readonly rules: number;
}

interface Row extends Stream {
  readonly sequence: number;
  readonly time: number | null;
  readonly sha256: string | null;
  readonly rules: number;
}

/** Returns undefined if the ledger follows no stream. */
export function readStreamPosition(db: ReadOnlyDatabase): StreamPosition | undefined {
  const row = readRow<Row>(db, READ_POSITION);
  if (row === undefined) return undefined;
  const { time, sha256, ...position } = row;
  const message = time === null || sha256 === null ? null : { sequence: row.sequence, time, sha256 };
  return { ...position, message };
}

const READ_POSITION =
  "SELECT name, created_at AS createdAt, subject, sequence, time, sha256, rules FROM followed_stream";

/** The source of a batch. The batch's transaction checks it first, and saves its position last. */
export interface BatchSource {
  /** Throws `Failure` if the ledger does not take facts from this source. */
  check(db: Database): void;
  savePosition(db: Database): void;
}

/** The source of files and of standard input: a ledger that follows a stream refuses it. */
export const NO_STREAM: BatchSource = { check: refuseStreamLedger, savePosition: () => undefined };

/**
 * Throws `Failure` ledger_follows_stream. A fact from elsewhere would be missing in the other ledgers that follow the
 * stream.
 */
export function refuseStreamLedger(db: ReadOnlyDatabase): void {
  const name = readValue<string>(db, "SELECT name FROM followed_stream");
  if (name === undefined) return;
  throw new Failure(
    "ledger_follows_stream",
    `the ledger ${db.name} follows the stream ${name} and takes facts from nothing else`,
  );
}

/** The source of a stream's messages. */
export class StreamSource implements BatchSource {
  #committed: number;
  #last: TakenMessage | undefined;

  /** `sequence` is the ledger's position. */
  constructor(sequence: number) {
    this.#committed = sequence;
  }

  /** The last message of the batch, or of the last batch. */
  get sequence(): number {
    return this.#last?.sequence ?? this.#committed;
  }

  /** Must be called for each message, before its lines are taken. */
  advance(message: TakenMessage): void {
    this.#last = message;
  }

  check(db: Database): void {
    const sequence = readValue<number>(db, "SELECT sequence FROM followed_stream");
    if (sequence === this.#committed) return;
    throw new Failure(
      "ledger_locked",
      `the ledger ${db.name} is at message ${sequence ?? "-"} of its stream, and this command left it at ${this.#committed}`,
    );
  }

  savePosition(db: Database): void {
    if (this.#last === undefined) return;
    const { sequence, time, sha256 } = this.#last;
    run(db, "UPDATE followed_stream SET sequence = ?, time = ?, sha256 = ?", sequence, time, sha256);
    this.#committed = sequence;
  }
}

/** A stream's state when a consumer opens. */
export interface StreamState extends Stream {
  /** The first message that is left; last + 1 if there is none. */
  readonly first: number;
  /** The last sequence given; 0 before the first message. */
  readonly last: number;
  /** The message at the ledger's position; undefined if it is gone, or if the ledger has no position. */
  readonly message: TakenMessage | undefined;
}

/**
 * Returns the message after which a consumer begins. `from` is the first message to take, if the operator names one.
 * Throws `Failure`: intake_rules_changed, ledger_follows_stream, stream_position_unknown.
 */
export function startAfter(
  db: ReadOnlyDatabase,
  name: string,
  subject: string | null,
  from: number | undefined,
): number {
  const position = readStreamPosition(db);
  if (from === undefined && position !== undefined && position.rules !== INTAKE_RULES)
    throw rulesChanged(position.rules);
  if (from !== undefined) return from - 1;
  if (position === undefined) {
    if (readValue(db, "SELECT no FROM installation LIMIT 1") === undefined) return 0;
    throw new Failure("stream_position_unknown", `the ledger ${db.name} has facts and no position in a stream`);
  }
  if (position.name === name && position.subject === subject) return position.sequence;
  throw new Failure(
    "ledger_follows_stream",
    `the ledger ${db.name} follows ${described(position)}, not ${described({ name, subject })}`,
    { hint: "Name that stream and its filter. To change on purpose, also name the first message to take." },
  );
}

/**
 * Makes the ledger follow the stream from the message after `after` on, if it does not do so yet. `from` is the first
 * message to take, if the operator names one. Throws `Failure` stream_gap or stream_replaced if the stream does not
 * continue the ledger, and usage if the operator names a message although the ledger knows the next one.
 */
export function attach(db: Database, stream: StreamState, after: number, from: number | undefined): void {
  const { name, subject, createdAt } = stream;
  const position = readStreamPosition(db);
  if (position !== undefined && position.name === name && position.subject === subject) {
    const fault = faultOf(position, stream);
    if (fault === undefined && position.sequence === after && position.rules === INTAKE_RULES) return;
    if (fault === undefined && position.sequence !== after) {
      throw new Failure(
        "usage",
        `the ledger ${db.name} goes on with message ${position.sequence + 1} of the stream ${name}, not with ${from}`,
      );
    }
    if (from === undefined && fault !== undefined) throw fault;
  }
  const chosen = faultOf({ name, subject, createdAt, sequence: after, message: null, rules: INTAKE_RULES }, stream);
  if (chosen !== undefined) throw chosen;
  try {
    write(db, { name, createdAt, subject, sequence: after, message: null, rules: INTAKE_RULES });
  } catch (error) {
    throw ledgerFailure(error, db.name, "write");
  }
}

/** A ledger's position in its stream, and the ledger's log at this position. */
export interface LoggedPosition extends LogPoint {
  readonly position: StreamPosition;
}

/** Returns undefined if the ledger follows no stream. Must be called in one read transaction. */
export function loggedPosition(db: ReadOnlyDatabase): LoggedPosition | undefined {
  const position = readStreamPosition(db);
  return position === undefined ? undefined : { ...logPoint(db), position };
}

/**
 * Makes a restored ledger follow the stream from this position on. Throws `Failure` stream_position_unknown if the
 * position belongs to another log.
 */
export function restorePosition(db: Database, { position, ...point }: LoggedPosition): void {
  try {
    db.transaction(() => {
      if (logSize(db) !== point.size || !contains(db, point)) {
        throw new Failure(
          "stream_position_unknown",
          `the ledger ${db.name} has other facts than the one whose position was stored`,
          { hint: "Restore to a new file, or without the position in the stream." },
        );
      }
      write(db, position);
    }).immediate();
  } catch (error) {
    throw ledgerFailure(error, db.name, "write");
  }
}

function write(db: Database, { name, createdAt, subject, sequence, message, rules }: StreamPosition): void {
  const { time = null, sha256 = null } = message ?? {};
  run(db, WRITE, name, createdAt, subject, sequence, time, sha256, rules);
}

const WRITE = "INSERT OR REPLACE INTO followed_stream VALUES (1, ?, ?, ?, ?, ?, ?, ?)";

/** Returns why the stream does not continue the ledger, if so. */
function faultOf({ sequence, message, createdAt }: StreamPosition, stream: StreamState): Failure | undefined {
  const { name, first, last, message: found } = stream;
  if (stream.createdAt !== createdAt)
    return replaced(
      `the stream ${name} was made at ${stream.createdAt}, and the ledger follows the one of ${createdAt}`,
    );
  if (last < sequence)
    return replaced(`the stream ${name} ends at message ${last}, and the ledger has message ${sequence}`);
  if (first > sequence + 1) return streamGap(name, sequence + 1, first);
  if (message === null || found === undefined) return undefined;
  return found.sha256 === message.sha256 && found.time === message.time
    ? undefined
    : replaced(`message ${sequence} of the stream ${name} is not the one that the ledger took`);
}

function described({ name, subject }: Pick<Stream, "name" | "subject">): string {
  return subject === null ? `the stream ${name}` : `the subject ${subject} of the stream ${name}`;
}

function rulesChanged(rules: number): Failure {
  return new Failure(
    "intake_rules_changed",
    `the ledger was filled by intake's rules ${rules}, and this version has rules ${INTAKE_RULES}`,
  );
}

/** `needed` is the message that the ledger needs, `found` the next one that the stream has. */
export function streamGap(name: string, needed: number, found: number): Failure {
  const missing = needed === found - 1 ? `message ${needed} is` : `messages ${needed} to ${found - 1} are`;
  return new Failure("stream_gap", `${missing} gone from the stream ${name}, whose next message is ${found}`);
}

function replaced(message: string): Failure {
  return new Failure("stream_replaced", message);
}
