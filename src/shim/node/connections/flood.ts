/**
 * Processes a flood of pipelined requests a part in each tick of the event loop, so that plain requests come in between. Node
 * parses a chunk to its end even if its connection is closed, and a request takes about 4 kB until that connection is
 * closed. If all of them were read in one tick, all would be in memory at once.
 */
import type { Socket } from "node:net";

/** Pipelined requests read in one tick, besides the rest of the last one's chunk. */
const READ_IN_TURN = 64;
/** Pipelined responses composed in one tick. While connections are paused it is one: a plain one may be among them. */
const COMPOSED_IN_TURN = 16;
/** Once in this number of ticks it resumes the connection that has waited longest, in the others the newest. */
const OLDEST_EVERY = 4;
/** Ticks in a row that only accept connections: the system hands over one in a tick, and a plain one may be among them. */
const MOST_ADMITTING = 16;

/** The state of a connection for this module. */
export interface FloodConnection {
  readonly socket: Socket;
  /** The number of responses that were started. */
  readonly responseCount: number;
  /** Requests that wait behind a response; meanwhile the connection is not read. */
  readonly waiting: number;
  /** True once a request has waited. */
  readonly hasPipelined: boolean;
}

export class Flood {
  readonly #open: ReadonlyMap<Socket, FloodConnection>;
  readonly #composing: (() => void)[] = [];
  /** Paused connections, in the order of their pauses. */
  readonly #unread: FloodConnection[] = [];
  #readInTurn = 0;
  #admitting = 0;
  #resumed = 0;
  #hasAdmitted = false;
  #isTurnAwaited = false;

  constructor(open: ReadonlyMap<Socket, FloodConnection>) {
    this.#open = open;
  }

  /** A new connection: while others are paused, it joins them. */
  admit(connection: FloodConnection): void {
    if (this.#unread.length === 0) return;
    this.#unread.push(connection);
    // Node begins to read in the tick after it reports a connection. A connection that is paused before that is read all the
    // same.
    process.nextTick(() => connection.socket.pause());
    this.#hasAdmitted = true;
  }

  /** A request was read that waits behind another response. */
  read(): void {
    this.#readInTurn += 1;
    this.#awaitTurn();
    if (this.#readInTurn !== READ_IN_TURN) return;
    for (const connection of this.#open.values()) {
      if (!isPlain(connection) && connection.waiting === 0 && !connection.socket.isPaused()) this.#pause(connection);
    }
  }

  /** Calls `compose` in a tick of its own or with a few others. */
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

  /** A new connection must not wait for all earlier ones, and an old one must not wait for ever. */
  #readAgain(): void {
    this.#resumed += 1;
    const connection = this.#resumed % OLDEST_EVERY === 0 ? this.#unread.shift() : this.#unread.pop();
    if (connection?.waiting === 0 && !connection.socket.destroyed) connection.socket.resume();
  }
}

/** A connection that had a response and never pipelined, as fronts and browsers do. It is always read. */
function isPlain({ responseCount, hasPipelined }: FloodConnection): boolean {
  return responseCount > 0 && !hasPipelined;
}
