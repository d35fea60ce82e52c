/**
 * A process of clients that send one request and read: `port path`. Every 20 ms one uses a new connection and one a kept
 * connection, even if earlier requests still wait. It replies to each message with the milliseconds of the requests since the
 * message before, once all of them have ended.
 */
import { Agent, get } from "node:http";

/** Milliseconds from when a request was due to its response's end; infinite without one. */
export interface PlainTimes {
  readonly fresh: readonly number[];
  readonly kept: readonly number[];
}

const APART_MS = 20;
const [port, path] = process.argv.slice(2) as [string, string];
const keeping = new Agent({ keepAlive: true });

function ask(agent: Agent | false, due: number): Promise<number> {
  return new Promise((resolve) => {
    get({ agent, host: "127.0.0.1", port, path }, (response) => {
      response.resume().on("end", () => resolve(performance.now() - due));
    }).on("error", () => resolve(Number.POSITIVE_INFINITY));
  });
}

let asked: Record<keyof PlainTimes, Promise<number>[]> = { fresh: [], kept: [] };
let due = performance.now();
setInterval(() => {
  for (const now = performance.now(); due <= now; due += APART_MS) {
    asked.fresh.push(ask(false, due));
    asked.kept.push(ask(keeping, due));
  }
}, 1);
process.on("message", async () => {
  const { fresh, kept } = asked;
  asked = { fresh: [], kept: [] };
  process.send?.({ fresh: await Promise.all(fresh), kept: await Promise.all(kept) } satisfies PlainTimes);
});
