/**
 * A flood of pipelined requests is worked off a part in each turn of the event loop, so that plain requests come in
 * between. A chunk is parsed to its end whatever becomes of its connection, and a request costs some 4 kB until that
 * connection is closed: were all of them read in one turn, all would be in memory at once.
 */
import type { Socket } from "node:net";

/** Pipelined requests read in one turn; what came in the same chunk as the last of them is read besides. */
const READ_IN_TURN = 64;
/** Pipelined answers composed in one turn; while connections are not read from, one: a plain one may be among them. */
const COMPOSED_IN_TURN = 16;
/** Of so many turns one reads again from the connection that waits longest, the others from the newest. */
const OLDEST_EVERY = 4;
/** Turns in a row that only take in connections: the system hands over one in a turn, and a plain one may be among them. */
const MOST_ADMITTING = 16;

/** What is to be known of a connection here. */
export interface FloodConnection {
  readonly socket: Socket;
  /** Answers begun. */
  readonly begun: number;
  /** Requests that wait behind an answer: it is not read from meanwhile. */
  readonly waiting: number;
  /** Whether a request has ever waited. */
  readonly hasPipelined: boolean;
}

export class Flood {
  readonly #open: ReadonlyMap<Socket, FloodConnection>;
  readonly #composing: (() => void)[] = [];
  /** Not read from for now, in the order in which that began. */
  readonly #unread: FloodConnection[] = [];
  #readInTurn = 0;
  #admitting = 0;
  #resumed = 0;
  #hasAdmitted = false;
  #isTurnAwaited = false;

  constructor(open: ReadonlyMap<Socket, FloodConnection>) {
    this.#open = open;
  }

  /** A new connection: while others are not read from, it takes its place among them. */
  admit(connection: FloodConnection): void {
    if (this.#unread.length === 0) return;
    this.#unread.push(connection);
    // Node begins to read in a tick after it has told of a connection; what is paused before that is read all the same.
    process.nextTick(() => connection.socket.pause());
    this.#hasAdmitted = true;
  }

  /** A request was read that waits behind another answer. */
  read(): void {
    this.#readInTurn += 1;
    this.#awaitTurn();
    if (this.#readInTurn !== READ_IN_TURN) return;
    for (const connection of this.#open.values()) {
      if (!isPlain(connection) && connection.waiting === 0 && !connection.socket.isPaused()) this.#pause(connection);
    }
  }

  /** Calls `compose` in a turn of its own or with a few others. */
  compose(compose: () => void): void {
    this.#composing.push(compose);
    this.#awaitTurn();
  }

  #pause(connection: FloodConnection): void {
    connection.socket.pause();
    this.#unread.push(connection);
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnAwaited = false;
    this.#readInTurn = 0;
    this.#admitting = this.#hasAdmitted ? this.#admitting + 1 : 0;
    this.#hasAdmitted = false;
    if (this.#admitting % MOST_ADMITTING === 0) this.#readAgain();
    const composed = this.#unread.length > 0 ? 1 : COMPOSED_IN_TURN;
    for (const compose of this.#composing.splice(0, composed)) compose();
    if (this.#unread.length > 0 || this.#composing.length > 0) this.#awaitTurn();
  }

  /** A newcomer is not to wait for all that came before it, nor anybody for ever for those that come later. */
  #readAgain(): void {
    this.#resumed += 1;
    const connection = this.#resumed % OLDEST_EVERY === 0 ? this.#unread.shift() : this.#unread.pop();
    if (connection?.waiting === 0 && !connection.socket.destroyed) connection.socket.resume();
  }
}

/** One that has been answered and has never pipelined, as fronts and browsers do: it is always read from. */
function isPlain({ begun, hasPipelined }: FloodConnection): boolean {
  return begun > 0 && !hasPipelined;
}
