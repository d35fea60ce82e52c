/** Runs verify: the first request, then each family of rules in turn. */
import { plainQueries } from "../resources/contracts.ts";
import { ROUTES } from "../resources/table.ts";
import { isNameableInstallationId } from "../values/installation-id.ts";
import { fieldsOf, namesOf } from "../values/unknown.ts";
import { judgeAgreements } from "./between.ts";
import { judgeGood } from "./body.ts";
import { judgeEdge, judgeKept } from "./cache.ts";
import {
  CutOff,
  errorCode,
  jsonOf,
  NoResponse,
  type Reply,
  seenReply,
  TooLarge,
  unavailableCodes,
} from "./exchange.ts";
import { valueAt } from "./exchanges/format.ts";
import { judgeHeads, sendExchanges } from "./exchanges/send.ts";
import { judgeFiles } from "./files.ts";
import { judgeHistories } from "./history.ts";
import type { Report } from "./report.ts";
import { type Environment, Run, type RunOptions, type Subject } from "./run.ts";

/** By the first part of the names of their rules. */
export const FAMILIES = {
  answer: (run: Run) => run.eachSubject((subject) => judgeAnswer(run, subject)),
  "not-modified": (run: Run) => sendExchanges(run, "not-modified"),
  query: (run: Run) => sendExchanges(run, "query"),
  method: async (run: Run) => {
    await sendExchanges(run, "method");
    await judgeHeads(run);
  },
  path: (run: Run) => sendExchanges(run, "path"),
  edge: judgeEdge,
  files: judgeFiles,
  between: judgeAgreements,
  history: judgeHistories,
  kept: judgeKept,
  watch,
} as const;
export type FamilyName = keyof typeof FAMILIES;

/** Throws `NoResponse` if the first request gets no response. A run that is cut off keeps its findings. */
export async function verify(
  options: RunOptions,
  environment: Environment,
  families: readonly FamilyName[] = namesOf(FAMILIES),
): Promise<Report> {
  const run = new Run(options, environment);
  // Files and unknown paths belong to no route.
  const isWhole = options.routes.length === ROUTES.length;
  const parts = families.filter((name) => name !== "files" || isWhole);
  const left = [...parts];
  try {
    await findConfigured(run);
    if (left.includes("answer") && !(await isApi(run))) return run;
    for (let name = left[0]; name !== undefined; name = left[0]) {
      const judge = FAMILIES[name];
      await run.guarded(name, () => judge(run));
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof CutOff)) throw error;
    skipRest(run, error.message, left.join(", "));
  }
  return run;
}

/** Says that a run was cut off, and what it has not judged. */
export function skipRest(report: Report, why: string, left: string): void {
  report.skip("the rest", `the run was cut off: ${why}; not judged to the end: ${left}`);
}

/** If no route responds as this API does, that is the only finding, because every other rule would repeat it. */
async function isApi(run: Run): Promise<boolean> {
  const seen: string[] = [];
  // All routes, also with --only: one broken route does not make it another API.
  const responses = ROUTES.map(async (route) => {
    const { target } = run.subject(route, plainQueries(route)[0]);
    try {
      const reply = await read(run, target);
      if (reply !== undefined) seen.push(`GET ${target}: ${seenReply(reply)}`);
      // A response that is too large counts, because its size is another finding.
      return reply === undefined || ([200, 503].includes(reply.status) && typeof jsonOf(reply) === "object");
    } catch (error) {
      if (error instanceof NoResponse) return false;
      throw error;
    }
  });
  const isFound = (await Promise.all(responses)).includes(true);
  return run.on("every route")("exchange/api", isFound, "200 or 503 with JSON from at least one", seen[0] ?? "nothing");
}

/** Reads the configured installation's id from telemetry. */
async function findConfigured(run: Run): Promise<void> {
  const telemetry = ROUTES.find(({ name }) => name === "telemetry");
  const reply = telemetry && (await read(run, telemetry.path));
  const { installationId } = fieldsOf(reply?.status === 200 ? jsonOf(reply) : undefined);
  if (typeof installationId === "string" && isNameableInstallationId(installationId)) run.configuredId = installationId;
}

/** Returns undefined for a response that is too large. The rules request it again, and then report its size. */
async function read(run: Run, target: string): Promise<Reply | undefined> {
  try {
    return await run.environment.send({ method: "GET", target, headers: {} });
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

async function judgeAnswer(run: Run, subject: Subject): Promise<void> {
  const { route, target } = subject;
  const reply = await run.ask(subject);
  const check = run.on(`GET ${target}`);
  const isAllowed = route.name === "statistics" && unavailableCodes(route).includes(errorCode(reply) ?? "");
  if (isAllowed && reply.status === 503) {
    return run.skip("answer/status", `GET ${target} is ${seenReply(reply)}, which the API allows`);
  }
  if (check("answer/status", reply.status === 200, "200", seenReply(reply))) judgeGood(check, subject, reply);
}

const WATCH_EVERY_MS = 1_000;
/** A longer text is no timestamp and no number that the API has. */
const MAX_VALUE_LENGTH = 100;

/** Dotted paths of values that never fall: timestamps and decimal strings. */
const RISING = [
  "generatedAt",
  "receivedAt",
  "measurement.receivedAt",
  "oracle.latestAcceptedAt",
  "window.endAt",
  "builder.anchor.settledThroughRound",
  "builder.anchor.cumulativeWork",
  "chain.indexedThroughBlock",
  "chain.safeThroughBlock",
  "core.settledThroughRound",
  "core.cumulativeWork",
  "core.authorizationNonce",
  "lifetime.acceptedWorkUnits",
  "lifetime.settlementCount",
  "lifetime.observedDistanceMm",
];
/** Lifetime totals only, because a window's totals fall when it advances. */
const RISING_NOW = ["summary.settlementCount", "summary.workAdded", "summary.activeRoundCount"];

/** Reads every route repeatedly: no value falls, and each tag keeps its body. */
async function watch(run: Run): Promise<void> {
  const highest = new Map<string, string>();
  const until = run.environment.now() + run.options.watch * 1000;
  while (run.environment.now() < until) {
    await run.eachSubject((subject) => watchOnce(run, subject, highest));
    await run.environment.pause(WATCH_EVERY_MS);
  }
}

async function watchOnce(run: Run, subject: Subject, highest: Map<string, string>): Promise<void> {
  const { target, query } = subject;
  const reply = await run.good(subject);
  if (reply === undefined) return;
  for (const path of query.startsWith("range=now") ? [...RISING, ...RISING_NOW] : RISING) {
    const value = valueAt(jsonOf(reply), path);
    if (typeof value !== "string" || value.length > MAX_VALUE_LENGTH) continue;
    const key = `${target} ${path}`;
    const before = highest.get(key);
    const holds = before === undefined || compare(before, value) <= 0;
    run.on(`GET ${target}`)("watch/back", holds, `${path} at ${before} or above`, value);
    if (holds) highest.set(key, value);
  }
}

/** A comparator: timestamps by text, decimal strings by length first. */
function compare(one: string, other: string): number {
  const isNumber = /^\d+$/.test(one) && /^\d+$/.test(other);
  if (isNumber && one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}
