/**
 * A process of ordinary clients. Arguments: port, path. Every 20 ms it sends one request on a new connection and one on
 * a keep-alive connection, even if earlier requests are pending. It replies to each message with the latencies since
 * the previous message, after all those requests end.
 */
import { Agent, get } from "node:http";

/** Milliseconds from a request's scheduled time to the end of its response; infinite if it failed. */
export interface PlainTimes {
  readonly fresh: readonly number[];
  readonly kept: readonly number[];
}

const INTERVAL_MS = 20;
const [port, path] = process.argv.slice(2) as [string, string];
const keepAlive = new Agent({ keepAlive: true });

function request(agent: Agent | false, due: number): Promise<number> {
  return new Promise((resolve) => {
    get({ agent, host: "127.0.0.1", port, path }, (response) => {
      response.resume().on("end", () => resolve(performance.now() - due));
    }).on("error", () => resolve(Number.POSITIVE_INFINITY));
  });
}

let pending: Record<keyof PlainTimes, Promise<number>[]> = { fresh: [], kept: [] };
let due = performance.now();
setInterval(() => {
  for (const now = performance.now(); due <= now; due += INTERVAL_MS) {
    pending.fresh.push(request(false, due));
    pending.kept.push(request(keepAlive, due));
  }
}, 1);
process.on("message", async () => {
  const { fresh, kept } = pending;
  pending = { fresh: [], kept: [] };
  process.send?.({ fresh: await Promise.all(fresh), kept: await Promise.all(kept) } satisfies PlainTimes);
});
