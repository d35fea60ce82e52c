/**
 * A slow, plain implementation of acceptance, from docs/spec/intake.md only. It searches arrays of accepted records,
 * and uses no code of src/ledger. Its input must be well-formed records.
 */
import type { Json } from "../samples.ts";

const LIMIT = (2n ** 256n - 1n) / 1000n;
const TERMINAL = ["confirmed", "reverted", "superseded"];

export class ReferenceLedger {
  readonly accepted: Json[] = [];

  take(record: Json): string {
    const mine = this.accepted.filter(
      (fact) => fact.type === record.type && fact.installationId === record.installationId,
    );
    const verdict = this.#judge(record, mine);
    if (verdict === "accepted") this.accepted.push(record);
    return verdict;
  }

  #judge(record: Json, mine: Json[]): string {
    if (mine.some((fact) => equal(fact, record))) return "duplicate";
    if (record.type === "receipt") return judgeReceipt(record, mine);
    if (record.type === "round") return judgeRound(record, mine);
    if (record.type === "submission") return judgeSubmission(record, mine);
    if (record.type === "reporter_run") return judgeRun(record, mine);
    const rounds = this.accepted.filter(
      (fact) => fact.type === "round" && fact.installationId === record.installationId,
    );
    return judgeClosure(record, mine, rounds);
  }
}

function judgeReceipt(record: Json, mine: Json[]): string {
  const before = mine.filter((fact) => fact.counterEpoch === record.counterEpoch);
  if (before.some((fact) => int(fact.cumulativeWorkUnits) > int(record.cumulativeWorkUnits)))
    return "counter_regression cumulativeWorkUnits";
  if (before.some((fact) => int(fact.distanceMm) > int(record.distanceMm))) return "distance_regression distanceMm";
  if (mine.some((fact) => fact.telemetryId === record.telemetryId)) return "conflict telemetryId";
  if (mine.some((fact) => fact.bootId === record.bootId && fact.sequence === record.sequence))
    return "conflict sequence";
  return "accepted";
}

function judgeRound(record: Json, mine: Json[]): string {
  if (mine.some((fact) => fact.roundId === record.roundId)) return "conflict roundId";
  for (const field of ["workUnits", "distanceMm"]) {
    if ([...mine, record].reduce((sum, fact) => sum + int(fact[field] ?? 0), 0n) > LIMIT)
      return `out_of_range ${field}`;
  }
  return "accepted";
}

function judgeClosure(record: Json, mine: Json[], rounds: Json[]): string {
  const [first, last] = [int(record.firstRound), int(record.lastRound)];
  if (last < first) return "invalid_field lastRound";
  for (let round = first; round <= last; round++) {
    if (!rounds.some((fact) => int(fact.roundId) === round))
      return `unknown_round ${round === first ? "firstRound" : "lastRound"}`;
  }
  if (mine.some((fact) => int(fact.firstRound) === first && int(fact.lastRound) === last)) return "conflict lastRound";
  const overlapping = mine.filter((fact) => int(fact.firstRound) <= last && int(fact.lastRound) >= first);
  if (overlapping.length === 0) return "accepted";
  const latest = overlapping.reduce((a, b) => (int(a.firstRound) > int(b.firstRound) ? a : b));
  return `closure_overlap ${int(latest.firstRound) <= first ? "firstRound" : "lastRound"}`;
}

function judgeRun(record: Json, mine: Json[]): string {
  const known = mine.filter((fact) => fact.startedAt === record.startedAt);
  if (known.some((fact) => fact.finishedAt !== null))
    return record.finishedAt === null ? "duplicate" : "conflict startedAt";
  return "accepted";
}

function judgeSubmission(record: Json, mine: Json[]): string {
  const known = mine.filter((fact) => fact.submissionId === record.submissionId);
  const now = known.at(-1);
  const plan = ["previousSettledThroughRound", "settledThroughRound", "expected", "preparedAt"];
  const other = now !== undefined && plan.some((field) => !equal(now[field], record[field]));
  if (now !== undefined && TERMINAL.includes(String(now.lifecycle)) && !other) return "submission_terminal";
  if (now !== undefined && now.lifecycle !== "preparing" && record.lifecycle === "preparing")
    return "submission_invalid";
  if (!isValid(record)) return "submission_invalid";
  return other ? "conflict submissionId" : "accepted";
}

function isValid(record: Json): boolean {
  const lifecycle = String(record.lifecycle);
  const span = int(record.settledThroughRound) - int(record.previousSettledThroughRound);
  const isSet = (field: string) => record[field] !== null;
  const instants = ["preparedAt", "submittedAt", "confirmedAt", "terminalAt"]
    .filter(isSet)
    .map((field) => Date.parse(String(record[field])));
  return (
    span > 0n &&
    int(record.activeRoundCount) <= span &&
    int(record.activeRoundCount) <= 16n &&
    (lifecycle !== "preparing" || !isSet("submittedAt")) &&
    (!["submitted", "confirmed", "reverted"].includes(lifecycle) || isSet("submittedAt")) &&
    isSet("terminalAt") === TERMINAL.includes(lifecycle) &&
    isSet("confirmedAt") === (lifecycle === "confirmed") &&
    record.outcomeCode === (["reverted", "superseded"].includes(lifecycle) ? lifecycle : null) &&
    instants.every((at, index) => index === 0 || at >= Number(instants[index - 1]))
  );
}

function int(value: unknown): bigint {
  return BigInt(value as string | number);
}

function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
