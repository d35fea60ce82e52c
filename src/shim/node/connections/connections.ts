/**
 * Limits what one client can cost: the number of open connections, one response in flight on each, and a time limit for
 * reading it (docs/spec/api.md#malformed-http).
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Flood } from "./flood.ts";
import { MAX_WAITING, type ServerLimits } from "./limits.ts";

interface Connection {
  readonly socket: Socket;
  /** The number of responses that were started. */
  responseCount: number;
  /** Requests that wait behind a response. */
  waiting: number;
  /** True once a request has waited. */
  hasPipelined: boolean;
  /** Method of the newest request. */
  last: ServerResponse | undefined;
  /** After `last` nothing more is sent here. */
  isRefused: boolean;
  /** Checks since the last bytes were handed over. */
  endedFor: number | undefined;
  /** The value of `responseCount` when unsent bytes were first seen, and checks since. */
  unsentAt: number;
  unsentFor: number;
}

/** How often connections are checked (ms). */
export const CHECK_MS = 1_000;
/** After its end a client has this long to read the last response. Closed earlier, the bytes could be lost. */
const LINGER_CHECKS = 2;
/** How many connections are checked to find an idle one. */
const IDLE_SCAN_LIMIT = 64;

export class Connections {
  readonly #limits: ServerLimits;
  /** Called for each connection that was closed to keep a limit. */
  readonly #crowded: () => void;
  readonly #open = new Map<Socket, Connection>();
  /** Connections without a request so far, oldest first. */
  readonly #silent = new Set<Connection>();
  readonly #flood = new Flood(this.#open);
  #waiting = 0;

  constructor(limits: ServerLimits, crowded: () => void) {
    this.#limits = limits;
    this.#crowded = crowded;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Requests that wait behind another response. */
  get waiting(): number {
    return this.#waiting;
  }

  admit(socket: Socket): void {
    if (this.#open.size >= this.#limits.maxConnections) {
      this.#crowded();
      const victim = this.#idle();
      (victim?.socket ?? socket).destroy();
      if (victim === undefined) return;
      this.#forget(victim);
    }
    const connection: Connection = {
      socket,
      responseCount: 0,
      waiting: 0,
      hasPipelined: false,
      last: undefined,
      isRefused: false,
      endedFor: undefined,
      unsentAt: 0,
      unsentFor: 0,
    };
    this.#open.set(socket, connection);
    this.#silent.add(connection);
    this.#flood.admit(connection);
    socket.on("close", () => this.#forget(connection));
  }

  /** Calls `compose` when everything before this response has left its connection, and never if that does not happen. */
  inTurn(response: ServerResponse, compose: () => void): void {
    const { socket } = response.req;
    if (response.socket === null) this.#flood.read();
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.isRefused || socket.destroyed) return;
    connection.last = response;
    if (connection.responseCount === 0) this.#silent.delete(connection);
    if (response.socket !== null) {
      connection.responseCount += 1;
      compose();
      return;
    }
    if (this.#waiting >= MAX_WAITING) {
      this.#crowded();
      socket.destroy();
      return;
    }
    connection.waiting += 1;
    connection.hasPipelined = true;
    this.#waiting += 1;
    socket.pause();
    // Node gives a response its socket when the one before it was handed over to the system. If all waiting responses were
    // composed at once, they would fill one tick of the loop, and everybody else would wait.
    response.once("socket", () => this.#flood.compose(() => this.#next(connection, compose)));
  }

  /** The newest request of a connection is incomplete: its body does not end as announced. */
  isInBody(socket: Socket): boolean {
    return this.#open.get(socket)?.last?.req.complete === false;
  }

  /** True once a connection has been refused: further bytes are read and ignored. */
  isRefused(socket: Socket): boolean {
    return this.#open.get(socket)?.isRefused === true;
  }

  /** True while a connection has sent nothing. */
  isSilent(socket: Socket): boolean {
    return (this.#open.get(socket)?.responseCount ?? 0) === 0 && socket.bytesRead === 0;
  }

  /** Ends a connection with these bytes, after its earlier responses. Further requests are read and ignored. */
  end(socket: Socket, bytes: Buffer | undefined): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.isRefused) return;
    connection.isRefused = true;
    const { last } = connection;
    const end = () => {
      connection.endedFor = 0;
      if (bytes === undefined) socket.end();
      else socket.end(bytes);
    };
    if (last === undefined || last.closed) end();
    else last.once("close", end);
  }

  /** Must be called every `CHECK_MS`. */
  checkAll(): void {
    for (const connection of this.#open.values()) {
      const { socket, responseCount } = connection;
      if (connection.endedFor !== undefined && ++connection.endedFor > LINGER_CHECKS) socket.destroy();
      else if (socket.writableLength === 0 || responseCount !== connection.unsentAt) {
        connection.unsentAt = responseCount;
        connection.unsentFor = 0;
      } else if (++connection.unsentFor * CHECK_MS >= this.#limits.readerTimeout) socket.destroy();
    }
  }

  /** The oldest connection without a request; else one that has its responses. */
  #idle(): Connection | undefined {
    const [silent] = this.#silent;
    if (silent !== undefined) return silent;
    let scanned = 0;
    for (const connection of this.#open.values()) {
      if (connection.last?.closed === true) return connection;
      if (++scanned >= IDLE_SCAN_LIMIT) return undefined;
    }
    return undefined;
  }

  #next(connection: Connection, compose: () => void): void {
    const { socket } = connection;
    if (!this.#open.has(socket)) return;
    connection.waiting -= 1;
    this.#waiting -= 1;
    if (connection.waiting === 0) socket.resume();
    connection.responseCount += 1;
    compose();
  }

  #forget(connection: Connection): void {
    if (!this.#open.delete(connection.socket)) return;
    this.#silent.delete(connection);
    this.#waiting -= connection.waiting;
  }
}
