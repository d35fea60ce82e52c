/** A request of a rule: sent, and its answer held against what holds for every answer. */

import type { RouteContract } from "../../judge/contract.ts";
import type { Reply } from "../../judge/exchange.ts";
import { judgeExchange } from "../../judge/judge.ts";
import { EVERY_PATH } from "../../judge/report.ts";
import type { Run } from "../run.ts";
import { judgeRevision } from "./edge/revision.ts";

export interface Asked {
  /** Absent for a path of no route. */
  readonly route?: RouteContract | undefined;
  readonly target: string;
  /** GET where absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it may come back as it was asked for: other than plain JSON. */
  readonly foreign?: boolean;
}

export async function ask(run: Run, asked: Asked): Promise<Reply> {
  const { route, target, method = "GET", headers = {}, foreign = false } = asked;
  // An answer in its plain form, whatever a cache has stored.
  const sent = { method, target, headers: { "accept-encoding": "identity", ...headers } };
  const reply = await run.surroundings.send(sent);
  const exchange = { run, route, subject: route ?? EVERY_PATH, sent, reply };
  if (!foreign) {
    judgeExchange(exchange);
    judgeRevision(exchange);
  }
  return reply;
}
