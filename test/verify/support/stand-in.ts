/** An in-process server: the shim's core over a published world, optionally with faults in its responses. */

import { ROUTES } from "../../../src/resources/table.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import type { Reply, Sent, Transport } from "../../../src/verify/exchange.ts";
import type { Report } from "../../../src/verify/report.ts";
import { FAMILIES, type FamilyName, verify } from "../../../src/verify/verify.ts";
import type { FullWorld } from "./full-world.ts";

/** Changes the response, or sends another request instead. */
export type Fault = (sent: Sent, next: Transport, passedMs: number) => Promise<Reply>;

const RIGHT: Fault = (sent, next) => next(sent);

/** Responses of one instant. Each response is created once and remembered. */
export function standIn({ world, at }: FullWorld, now = at): Transport {
  const context = shimContext({ store: world.store, now: () => now, monotonic: () => 0 });
  const known = new Map<string, Promise<Reply>>();
  return (sent) => {
    const { method, target, headers } = sent;
    const key = `${method} ${target} ${headers["if-none-match"] ?? ""}`;
    const reply = known.get(key) ?? ask();
    known.set(key, reply);
    return reply;

    async function ask(): Promise<Reply> {
      const answered = await respond({ method, url: target, ifNoneMatch: headers["if-none-match"] }, context);
      const lines = Object.entries({ ...answered.headers, date: new Date(now).toUTCString() });
      return {
        status: answered.status,
        headers: new Map(lines.map(([name, value]) => [name, [value]])),
        body: answered.body ?? new Uint8Array(),
        wireLength: answered.body?.length ?? 0,
        at: now,
      };
    }
  };
}

export interface Judging {
  readonly send: Transport;
  readonly now: number;
  readonly fault?: Fault;
  readonly families?: readonly FamilyName[];
  readonly only?: readonly string[];
  readonly watch?: number;
}

/** Nothing waits: a pause moves the clock by which watching ends. */
export function judge({ send, now, fault = RIGHT, families, only, watch = 0 }: Judging): Promise<Report> {
  let passed = 0;
  let counter = 0;
  return verify(
    {
      routes: ROUTES.filter(({ name }) => only === undefined || only.includes(name)),
      installationId: undefined,
      watch,
    },
    {
      send: (sent) => fault(sent, send, passed),
      now: () => now + passed,
      pause: async (milliseconds) => {
        passed += milliseconds;
      },
      unique: () => `unique${++counter}`,
    },
    families ?? (Object.keys(FAMILIES) as FamilyName[]),
  );
}
