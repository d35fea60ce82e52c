/** Describes the eight states of the settlement queue (docs/spec/api.md#queue-state). */
import { REPORTER_STALE_AFTER_MS } from "../../../src/values/freshness.ts";
import type { SettlementQueue } from "../data/bodies.ts";
import { plural } from "./number.ts";

type Available = Extract<SettlementQueue, { status: "available" }>;

const HEADINGS: Readonly<Record<Available["state"], string>> = {
  blocked: "Blocked",
  disabled: "Switched off",
  stale: "The Reporter is late",
  preparing: "Preparing a batch",
  submitted: "A batch is on its way",
  retrying: "Trying a batch again",
  ready: "Ready to be settled",
  empty: "Nothing waits",
};

export interface QueueWords {
  readonly heading: string;
  readonly sentence: string;
}

/** `stopped` is the instant at which the publisher stopped, as text; undefined while it is live. */
export function queueWords(queue: Available, stopped?: string): QueueWords {
  if (stopped === undefined) return { heading: HEADINGS[queue.state], sentence: sentenceOf(queue) };
  const { roundCount, workUnits } = queue.buffered;
  const waited =
    roundCount === "0"
      ? "no accepted round waited"
      : `${plural(roundCount, "accepted round")} with ${plural(workUnits, "unit")} of work waited`;
  return { heading: `Not known since ${stopped}`, sentence: `Until then ${waited}.` };
}

function sentenceOf({ state, buffered, blockedReason, latestSubmission, lastRun }: Available): string {
  const waiting =
    buffered.roundCount === "0"
      ? "No accepted round waits"
      : `${plural(buffered.roundCount, "accepted round")} with ${plural(buffered.workUnits, "unit")} of work ` +
        `${buffered.roundCount === "1" ? "waits" : "wait"}`;
  const batch =
    latestSubmission === null ? "A batch" : `The batch through round ${latestSubmission.settledThroughRound}`;
  switch (state) {
    case "blocked":
      return `${waiting} until the block is lifted: ${blockedReason}.`;
    case "disabled":
      return `${waiting}; settlement is switched off, so nothing is submitted.`;
    case "stale":
      return lastRun === null
        ? `${waiting}; the Reporter has never finished a run.`
        : `${waiting}; the Reporter has not finished a run in the last ${REPORTER_STALE_AFTER_MS / 60_000} minutes.`;
    case "preparing":
      return `${batch} is being prepared; it has not been sent to the chain.`;
    case "submitted":
      return `${batch} was sent and waits for the chain to confirm it.`;
    case "retrying":
      return `${batch} did not get through and is being sent again.`;
    case "ready":
      return `${waiting} for the Reporter's next run.`;
    case "empty":
      return "Every accepted round is settled; the next one waits for the Oracle.";
  }
}
