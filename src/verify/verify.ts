/** Runs verify: the first request, then each family of rules in turn. */

import { CONTRACT } from "../judge/contract.ts";
import { CutOff, jsonOf, TooLarge } from "../judge/exchange.ts";
import { EVERY_PATH, type Report } from "../judge/report.ts";
import { judgeAgreement } from "./agreement/agreement.ts";
import { CHAIN_AGREEMENTS } from "./agreement/chain.ts";
import { judgeNewest, MEASUREMENT_AGREEMENTS } from "./agreement/measurement.ts";
import { judgeAnswers, judgeHeads } from "./answers.ts";
import { guarded } from "./ask.ts";
import { judgeEdge } from "./edge.ts";
import { judgeFiles } from "./files.ts";
import { judgeKept } from "./kept.ts";
import { replay } from "./replay.ts";
import { type Environment, Run, type RunOptions } from "./run.ts";
import { walkActivity } from "./walks/activity.ts";
import { walkObservations } from "./walks/observations.ts";
import { watch } from "./watch.ts";

export const FAMILIES = {
  answers: judgeAnswers,
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

/** Throws `Unanswered` if the first request gets no response. A run that is cut off keeps its findings. */
export async function verify(
  options: RunOptions,
  environment: Environment,
  families: readonly FamilyName[] = Object.keys(FAMILIES) as FamilyName[],
): Promise<Report> {
  const run = new Run(options, environment);
  const left = families.filter((name) => name !== "files" || isWhole(run));
  try {
    await findConfigured(run);
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

/** Reads the configured installation's id from telemetry. */
async function findConfigured(run: Run): Promise<void> {
  const telemetry = CONTRACT.find(({ name }) => name === "telemetry");
  if (telemetry === undefined) return;
  const reply = await run.environment
    .send({ method: "GET", target: telemetry.path, headers: {} })
    // The rules request telemetry again, and then report its size.
    .catch((error: unknown) => {
      if (error instanceof TooLarge) return undefined;
      throw error;
    });
  const body = reply?.status === 200 ? (jsonOf(reply) as { installationId?: unknown } | undefined) : undefined;
  if (typeof body?.installationId === "string") run.configuredId = body.installationId;
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
