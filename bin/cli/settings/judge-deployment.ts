/** The dependencies of a check of a deployment: a connection to it, and the pace of requests. */
import { nodeTransport } from "../../../src/verify/exchange/node-transport.ts";
import { paced } from "../../../src/verify/exchange/pace.ts";
import type { Surroundings } from "../../../src/verify/run.ts";

export interface Connection {
  readonly surroundings: Surroundings;
  close(): void;
}

/** `timeout` of one request in ms, `qps` requests a second at most; `who` is part of the paths that nobody has. */
export function connectTo(base: URL, limits: { timeout: number; qps: number }, who: string): Connection {
  const transport = nodeTransport(base, { timeout: limits.timeout, now: Date.now });
  const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const surroundings = {
    send: paced(transport.send, limits.qps, { monotonic: () => performance.now(), pause }),
    now: Date.now,
    pause,
    unique: () => `${who}${crypto.randomUUID().replaceAll("-", "")}`,
  };
  return { surroundings, close: () => transport.close() };
}
