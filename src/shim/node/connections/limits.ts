/** What a server on the open network lets its clients cost it (docs/reliability.md has the measured figures). */

export interface ServerLimits {
  /** Open at once. One more takes the place of the oldest that has asked nothing, or is closed itself. */
  readonly maxConnections: number;
  /** Ms in which a request, body included, must have arrived; also how long a new connection may be silent. */
  readonly requestTimeout: number;
  /** Ms in which a reader must take an answer. */
  readonly readerTimeout: number;
  /** Ms that a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
}

/** An idle connection costs 10 to 15 kB; at most so many unless told otherwise. */
const MOST_CONNECTIONS = 4_096;

/** For benches and tests; `serve` takes them from its settings. */
export const DEFAULT_LIMITS: ServerLimits = {
  maxConnections: MOST_CONNECTIONS,
  requestTimeout: 15_000,
  readerTimeout: 30_000,
  // A front's own pool keeps a connection for 60 s (nginx): longer, so that none is closed under a request.
  keepAliveTimeout: 65_000,
};

/** Bytes of a request's head, and its fields: as many as common servers take. */
export const MAX_HEAD_BYTES = 16_384;
export const MAX_FIELDS = 100;

/** Bytes of a request's body, which nobody reads: enough to let a wrong POST end well. */
export const MAX_BODY_BYTES = 1 << 20;

/**
 * Pipelined requests that wait behind another answer, on all connections together. One costs some 4 kB; beyond that
 * number the connection that brings one more is closed. A client that waits for its answers is not counted here.
 */
export const MAX_WAITING = 1_024;

/** Files that the store keeps open (`filesystem/cache.ts`: 512), the program's own, and what is being read. */
const OTHER_FILES = 640;

/** How many connections a process may have that may open so many files; undefined: no limit is known. */
export function connectionsWithin(openFiles: number | undefined): number {
  if (openFiles === undefined) return MOST_CONNECTIONS;
  return Math.max(1, Math.min(MOST_CONNECTIONS, Math.max(openFiles - OTHER_FILES, Math.floor(openFiles / 2))));
}
