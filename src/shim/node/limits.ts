/** The limits for clients of a server on the open network. */
import { readFileSync } from "node:fs";

export interface ServerLimits {
  /** Connections at once. Node closes one more. */
  readonly maxConnections: number;
  /** Ms in which a request, body included, must arrive; also how long a new connection may be silent. */
  readonly requestTimeout: number;
  /** Ms in which a reader must take a response. */
  readonly readerTimeout: number;
  /** Ms that a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
}

/** An idle connection takes 10 to 15 kB, so all of them take about 60 MB. */
const MOST_CONNECTIONS = 4_096;

export const SERVER_LIMITS: ServerLimits = {
  maxConnections: MOST_CONNECTIONS,
  // A request is one small head. Longer would let slow senders hold more connections.
  requestTimeout: 15_000,
  // 135 kB at 5 kB/s. Longer would let idle readers hold more memory; shorter would cut slow lines.
  readerTimeout: 30_000,
  // A front's own pool keeps a connection for 60 s (nginx). This is longer, so that none is closed under a request.
  keepAliveTimeout: 65_000,
};

/** Bytes of a request's head: the limit of common servers. */
export const MAX_HEAD_BYTES = 16_384;

/**
 * Requests of one connection that wait behind an unanswered one. One more closes the connection: Node has parsed all of
 * them, and each takes about 4 kB. No front and no browser pipelines.
 */
export const MAX_WAITING_REQUESTS = 15;

/** Files that the store keeps open (`filesystem/cache.ts`: 512), the program's own, and those being read. */
const OTHER_FILES = 640;

/** How many connections a process with this limit of open files may have; undefined: no limit is known. */
export function connectionsWithin(openFiles: number | undefined): number {
  if (openFiles === undefined) return MOST_CONNECTIONS;
  return Math.max(1, Math.min(MOST_CONNECTIONS, Math.max(openFiles - OTHER_FILES, Math.floor(openFiles / 2))));
}

const LINE = /^Max open files +(\d+)/m;

/** How many files this process may open; undefined if that is unknown or unlimited. */
export function openFilesLimit(limits = "/proc/self/limits"): number | undefined {
  try {
    const found = LINE.exec(readFileSync(limits, "utf8"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    // Not Linux.
    return undefined;
  }
}
