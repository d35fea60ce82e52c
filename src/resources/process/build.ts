/**
 * docs/spec/api.md#process: the process snapshot. It keeps apart what is measured, what the Oracle accepted,
 * what is optimistically built on it, and what waits for settlement.
 */
import { REVALIDATE } from "../../http/common-headers.ts";
import { etagOf } from "../../http/representation.ts";
import { formatTimestamp, LATEST } from "../../values/timestamp.ts";
import type { Built } from "../built.ts";
import { revisionOf } from "../revision.ts";
import { builderOf } from "./builder.ts";
import type { ProcessFacts } from "./facts.ts";
import { processSchema } from "./schema.ts";
import { measurementOf } from "./sections/measurement.ts";
import { oracleOf } from "./sections/oracle.ts";
import { settlementQueueOf } from "./sections/settlement-queue.ts";

/** Throws `ZodError`, whose message names the rule, where the body would break the schema. `at` in epoch ms. */
export function buildProcess(facts: ProcessFacts, at: number): Built {
  const { measurement, changesAt: measurementChangesAt } = measurementOf(facts.measurement?.receipt, at);
  const { oracle, changesAt: oracleChangesAt } = oracleOf(facts.oracle, at);
  const { queue, changesAt: queueChangesAt } = settlementQueueOf(facts, at);
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
    ...(changes.length === 0 ? {} : { nextChangeAt: Math.min(...changes) }),
  };
}
