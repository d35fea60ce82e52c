/**
 * docs/spec/api.md#process: the process snapshot. It keeps apart what is measured, what the Oracle accepted,
 * what is optimistically built on it, and what waits for settlement.
 */
import { REVALIDATE } from "../../http/common-headers.ts";
import { etagOf } from "../../http/representation.ts";
import { FUTURE_ALLOWANCE_MS } from "../../values/freshness.ts";
import { formatTimestamp, LATEST } from "../../values/timestamp.ts";
import type { Built } from "../built.ts";
import { revisionOf } from "../revision.ts";
import { builderOf } from "./builder.ts";
import type { ProcessFacts } from "./facts.ts";
import { processSchema } from "./schema.ts";
import { measurementOf } from "./sections/measurement.ts";
import { oracleOf } from "./sections/oracle.ts";
import { settlementQueueOf } from "./sections/settlement-queue.ts";

/**
 * Throws `ZodError`, whose message names the rule, if the body would break the schema. `at` in epoch ms; `seenAt` is
 * the clock when the facts were read, where `at` is a later instant.
 */
export function buildProcess(facts: ProcessFacts, at: number, seenAt = at): Built {
  const time = { at, seenAt };
  const { measurement, changesAt: measurementChangesAt } = measurementOf(facts.measurement?.receipt, time);
  const { oracle, changesAt: oracleChangesAt } = oracleOf(facts.oracle, time);
  const { queue, changesAt: queueChangesAt } = settlementQueueOf(facts, time);
  const head = { schemaVersion: 4, installationId: facts.installationId };
  const rest = { measurement, builder: builderOf(facts), oracle, settlementQueue: queue };
  const revision = revisionOf(JSON.stringify({ ...head, ...rest }));
  const process = processSchema.parse({ ...head, revision, generatedAt: formatTimestamp(at), ...rest });
  const changes = [measurementChangesAt, oracleChangesAt, queueChangesAt]
    .filter((instant) => instant !== undefined)
    // Beyond the calendar nothing can be generated: a timestamp of the year 9999 has no future.
    .filter((instant) => instant <= LATEST);
  return {
    status: 200,
    headers: { etag: etagOf(revision), "cache-control": REVALIDATE },
    body: JSON.stringify(process),
    identity: revision,
    ...(changes.length === 0 ? {} : nextOf(facts, Math.min(...changes), seenAt)),
  };
}

/** A fact that lay ahead when it was read stays stale in every successor, also in one that is computed for its instant. */
function nextOf(facts: ProcessFacts, nextChangeAt: number, seenAt: number): Pick<Built, "nextChangeAt" | "successor"> {
  const instants = [
    facts.measurement?.receipt.receivedAt,
    facts.oracle.accepted?.latestAt,
    facts.lastCompletion?.finishedAt,
  ];
  const isAhead = instants.some((instant) => instant !== undefined && instant - seenAt > FUTURE_ALLOWANCE_MS);
  return isAhead ? { nextChangeAt, successor: buildProcess(facts, nextChangeAt, seenAt) } : { nextChangeAt };
}
