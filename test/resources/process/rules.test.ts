/**
 * Each field rule of docs/spec/api.md#process-rules accepts a correct body and rejects a broken one with an error that
 * names the rule.
 */
import { expect, test } from "vitest";
import { type Process, processSchema } from "../../../src/resources/process/contract.ts";
import { build, CASES, type Case } from "./scenarios.ts";

type Json = Record<string, unknown>;
/** Sets or adds the values at dotted paths of a body. */
type Change = Readonly<Record<string, unknown>>;

function changed(name: string, change: Change): Json {
  const body = JSON.parse(build(CASES[name] as Case).body) as Json;
  for (const [path, value] of Object.entries(change)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const parent = names.reduce((value, name) => value[name] as Json, body);
    parent[last] = value;
  }
  return body;
}

const QUEUE = "settlementQueue";
const LATEST = "settlementQueue.latestSubmission";
const TIME = "2026-11-20T11:41:00.000Z";

test.each<[string, string, Change]>([
  ["rule 1", "ready", { "builder.anchor.workPerBlock": "0", "builder.anchor.currentWork": "0" }],
  ["rule 1", "ready", { "builder.anchor.currentWork": "1000" }],
  ["rule 1", "ready", { "builder.projected.workPerBlock": "0" }],
  ["rule 1", "ready", { "settlementQueue.projected.currentWork": "1000" }],
  ["rule 2", "ready", { "builder.projected.firstCompletedBlock": null }],
  ["rule 2", "ready", { "builder.projected.lastCompletedBlock": "4" }],
  ["rule 2", "ready", { "builder.projected.firstCompletedBlock": "4" }],
  ["rule 2", "ready", { "builder.projected.completedBlockCount": "0" }],
  ["rule 2", "empty", { "settlementQueue.projected.lastCompletedBlock": "2" }],
  ["rule 2", "empty", { "settlementQueue.projected.completedBlockCount": "1" }],
  ["rule 3", "ready", { "oracle.latestClosure.roundCount": "3" }],
  ["rule 3", "ready", { "oracle.latestClosure.firstRound": "10", "oracle.latestClosure.roundCount": "0" }],
  ["rule 3", "ready", { "settlementQueue.buffered.lastRound": "10" }],
  ["rule 3", "ready", { "settlementQueue.buffered.lastRound": null }],
  ["rule 3", "empty", { "settlementQueue.buffered.firstRound": "5" }],
  ["rule 4", "submitted", { [`${LATEST}.roundCount`]: "6" }],
  ["rule 4", "submitted", { [`${LATEST}.activeRoundCount`]: "6" }],
  [
    "rule 4",
    "submitted",
    { [`${LATEST}.activeRoundCount`]: "17", [`${LATEST}.roundCount`]: "20", [`${LATEST}.settledThroughRound`]: "24" },
  ],
  ["rule 5", "ready", { "oracle.latestAcceptedAt": null }],
  ["rule 5", "no-closure", { "oracle.latestAcceptedAt": TIME }],
  ["rule 5", "ready", { "oracle.reason": "why" }],
  ["rule 5", "oracle-stale", { "oracle.reason": "why" }],
  ["rule 5", "oracle-blocked", { "oracle.reason": null }],
  ["rule 5", "no-closure", { "oracle.reason": null }],
  ["rule 6", "ready", { [`${QUEUE}.blockedReason`]: "hold" }],
  ["rule 6", "blocked", { [`${QUEUE}.blockedReason`]: null }],
  ["rule 6", "ready", { [`${QUEUE}.state`]: "empty" }],
  ["rule 6", "empty", { [`${QUEUE}.state`]: "ready" }],
  ["rule 7", "submitted", { [`${LATEST}.submittedAt`]: null }],
  ["rule 7", "confirmed", { [`${LATEST}.submittedAt`]: null }],
  ["rule 7", "reverted", { [`${LATEST}.submittedAt`]: null }],
  ["rule 7", "confirmed", { [`${LATEST}.terminalAt`]: null }],
  ["rule 7", "superseded", { [`${LATEST}.terminalAt`]: null }],
  ["rule 7", "retrying", { [`${LATEST}.terminalAt`]: TIME }],
  ["rule 7", "confirmed", { [`${LATEST}.confirmedAt`]: null }],
  ["rule 7", "reverted", { [`${LATEST}.confirmedAt`]: TIME }],
  ["rule 7", "reverted", { [`${LATEST}.outcomeCode`]: "superseded" }],
  ["rule 7", "superseded", { [`${LATEST}.outcomeCode`]: null }],
  ["rule 7", "preparing", { [`${LATEST}.outcomeCode`]: "reverted" }],
  ["rule 7", "confirmed", { [`${LATEST}.outcomeCode`]: "reverted" }],
])("%s: %s with %o is rejected", (rule, name, change) => {
  expect(processSchema.safeParse(changed(name, {})).success).toBe(true);
  const result = processSchema.safeParse(changed(name, change));
  expect(result.error?.issues.map(({ message }) => message.slice(0, 6))).toEqual([rule]);
});

test.each(
  ["", "measurement.", "builder.", "builder.anchor.", "builder.queued.", "builder.projected.", "oracle."].concat(
    ["oracle.latestClosure.", `${QUEUE}.`, `${QUEUE}.buffered.`, `${QUEUE}.projected.`, `${QUEUE}.lastRun.`],
    [`${LATEST}.`, `${LATEST}.expected.`],
  ),
)("an unknown field in the object at '%s' is rejected", (path) => {
  expect(processSchema.safeParse(changed("submitted", { [`${path}extra`]: 1 })).error?.issues).toMatchObject([
    { code: "unrecognized_keys" },
  ]);
});

test("an unavailable branch has only a reason", () => {
  for (const name of ["builder", QUEUE]) {
    expect(processSchema.safeParse(changed("no-safe-core", { [`${name}.state`]: "ready" })).success).toBe(false);
    expect(processSchema.safeParse(changed("no-safe-core", { [`${name}.reason`]: "other" })).success).toBe(false);
  }
});

test("a buffered round may have zero work: ready", () => {
  const body = changed("ready", {
    "settlementQueue.buffered.workUnits": "0",
    "settlementQueue.buffered.activeRoundCount": "0",
  });
  expect((processSchema.parse(body) as Process).settlementQueue).toMatchObject({ state: "ready" });
});
