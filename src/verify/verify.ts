/** Runs verify: the first request, then each family of rules in turn. */

import { CONTRACT } from "../judge/contract.ts";
import { seen } from "../judge/errors.ts";
import { CutOff, jsonOf, NoResponse, type Reply, TooLarge } from "../judge/exchange.ts";
import { EVERY_PATH, type Report } from "../judge/report.ts";
import { isNameableInstallationId } from "../values/installation-id.ts";
import { fieldsOf, namesOf } from "../values/unknown.ts";
import { judgeAgreement } from "./agreement/agreement.ts";
import { CHAIN_AGREEMENTS } from "./agreement/chain.ts";
import { judgeNewest, MEASUREMENT_AGREEMENTS } from "./agreement/measurement.ts";
import { guarded, targetOf } from "./ask.ts";
import { judgeEdge } from "./edge.ts";
import { judgeFiles } from "./files.ts";
import { judgeKept } from "./kept.ts";
import { replay } from "./replay.ts";
import { judgeHeads, judgeResponses } from "./responses.ts";
import { EXCHANGE } from "./rules.ts";
import { type Environment, Run, type RunOptions } from "./run.ts";
import { walkActivity } from "./walks/activity.ts";
import { walkObservations } from "./walks/observations.ts";
import { watch } from "./watch.ts";

export const FAMILIES = {
  answers: judgeResponses,
  "not-modified": (run: Run) => replay(run, ["not-modified"]),
  queries: (run: Run) => replay(run, ["query", "observations-query", "activity-query"]),
  methods: async (run: Run) => {
    await replay(run, ["method"]);
    await judgeHeads(run);
  },
  paths: (run: Run) => replay(run, ["path"]),
  edge: judgeEdge,
  files: judgeFiles,
  agreement: judgeAgreements,
  walks: judgeWalks,
  kept: judgeKept,
  watch,
} as const;
export type FamilyName = keyof typeof FAMILIES;

/** True if all routes are verified. Only then are unknown paths judged. */
function isWhole(run: Run): boolean {
  return run.routes.length === CONTRACT.length;
}

/** The name of the skip of a run that was cut off. */
export const RUN_COMPLETE = "run/complete";

/** Throws `NoResponse` if the first request gets no response. A run that is cut off keeps its findings. */
export async function verify(
  options: RunOptions,
  environment: Environment,
  families: readonly FamilyName[] = namesOf(FAMILIES),
): Promise<Report> {
  const run = new Run(options, environment);
  const left = families.filter((name) => name !== "files" || isWhole(run));
  try {
    await findConfigured(run);
    if (left.includes("answers") && !(await isApi(run))) return run;
    for (let name = left[0]; name !== undefined; name = left[0]) {
      const judge = FAMILIES[name];
      await guarded(run, EVERY_PATH, () => judge(run));
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof CutOff)) throw error;
    run.skip(
      { name: RUN_COMPLETE },
      `the run was cut off: ${error.message}; not judged to the end: ${left.join(", ")}`,
    );
  }
  return run;
}

/** If no route responds as this API does, that is the only finding, because every other rule would repeat it. */
async function isApi(run: Run): Promise<boolean> {
  const seenReplies: string[] = [];
  // All routes, also with --only: one broken route does not make it another API.
  const responses = CONTRACT.map(async (route) => {
    const target = targetOf(run, route, route.queries[0] ?? "");
    try {
      const reply = await read(run, target);
      if (reply !== undefined) seenReplies.push(`GET ${target}: ${seen(reply)}`);
      return isResponse(reply);
    } catch (error) {
      if (error instanceof NoResponse) return false;
      throw error;
    }
  });
  return run.check(EXCHANGE.api, EVERY_PATH, (await Promise.all(responses)).includes(true), () => ({
    expected: "200 or 503 with JSON from at least one route",
    saw: seenReplies[0] ?? "no response",
  }));
}

/** Reads the configured installation's id from telemetry. */
async function findConfigured(run: Run): Promise<void> {
  const telemetry = CONTRACT.find(({ name }) => name === "telemetry");
  const reply = telemetry && (await read(run, telemetry.path));
  const body = reply?.status === 200 ? jsonOf(reply) : undefined;
  const { installationId } = fieldsOf(body);
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

/** A response that is too large counts, because its size is another finding. */
function isResponse(reply: Reply | undefined): boolean {
  return reply === undefined || ([200, 503].includes(reply.status) && typeof jsonOf(reply) === "object");
}

async function judgeAgreements(run: Run): Promise<void> {
  await Promise.all(
    [...MEASUREMENT_AGREEMENTS, ...CHAIN_AGREEMENTS].map((agreement) => judgeAgreement(run, agreement)),
  );
}

async function judgeWalks(run: Run): Promise<void> {
  const [observations, activity] = [run.route("observations"), run.route("activity")];
  await Promise.all([
    observations === undefined
      ? undefined
      : guarded(run, observations, async () => {
          const newest = await walkObservations(run, observations);
          if (newest !== undefined) await judgeNewest(run, observations, newest);
        }),
    activity === undefined ? undefined : guarded(run, activity, () => walkActivity(run, activity)),
  ]);
}
