/**
 * A slow, simple reference implementation of the process snapshot, from plain records. It reads all records each time
 * and shares no arithmetic with src/.
 */
import type { SafeCoreState } from "../../../src/chain/chain-state.ts";
import { type Fact, type FactOf, INSTALLATION } from "./history.ts";

/**
 * The body without revision and generatedAt. `facts` are in order of arrival; `genesis` is in seconds. `seenAt` is the
 * clock when the facts were read: facts from more than a minute ahead of it are never fresh.
 */
export function referenceProcess(
  facts: readonly Fact[],
  core: SafeCoreState | undefined,
  genesis: bigint | undefined,
  { at, seenAt = at }: { readonly at: number; readonly seenAt?: number },
): unknown {
  const isOld = (instant: number, ms: number) => at - instant > ms || instant - seenAt > 60_000;
  const all = <Type extends Fact["type"]>(type: Type) =>
    facts.filter((fact): fact is FactOf<Type> => fact.type === type);
  const receipts = all("receipt");
  const rounds = new Map(all("round").map((round) => [round.roundId, round]));
  const closures = all("closure");
  const accepted = new Set<bigint>();
  for (const { firstRound, lastRound } of closures) for (let id = firstRound; id <= lastRound; id++) accepted.add(id);
  const newest = receipts.at(-1);
  const work = (ids: readonly bigint[]) => ids.reduce((sum, id) => sum + (rounds.get(id)?.workUnits ?? 0n), 0n);
  const project = (added: bigint) => {
    if (core === undefined) throw new Error("nothing to project from");
    const total = core.cumulativeWork + added;
    const height = total / core.workPerBlock;
    const blocks = height - core.blockHeight;
    return {
      lifecycle: "optimistic",
      cumulativeWork: `${total}`,
      blockHeight: `${height}`,
      currentWork: `${total - height * core.workPerBlock}`,
      workPerBlock: `${core.workPerBlock}`,
      firstCompletedBlock: blocks === 0n ? null : `${height - blocks + 1n}`,
      lastCompletedBlock: blocks === 0n ? null : `${height}`,
      completedBlockCount: `${blocks}`,
    };
  };

  const builder = () => {
    const unavailable = (reason: string) => ({ status: "unavailable", reason });
    if (newest === undefined) return unavailable("no_measurement");
    if (newest.coreStatus === "COUNTER_FAULT") return unavailable("counter_fault");
    if (!all("epoch").some((epoch) => epoch.counterEpoch === newest.counterEpoch))
      return unavailable("counter_epoch_unapproved");
    if (core === undefined) return unavailable("oracle_head_unavailable");
    const frontier = core.settledThroughRound;
    const closed = [...rounds.keys()].filter((id) => id > frontier);
    for (const id of closed)
      for (let below = frontier + 1n; below < id; below++)
        if (!rounds.has(below)) return unavailable("round_projection_gap");
    const last = closed.reduce((high, id) => (id > high ? id : high), frontier);
    const open = genesis === undefined ? 0n : openWork((genesis + (last + 1n) * 600n) * 1000n);
    return {
      status: "available",
      anchor: {
        settledThroughRound: `${frontier}`,
        cumulativeWork: `${core.cumulativeWork}`,
        blockHeight: `${core.blockHeight}`,
        currentWork: `${core.currentWork}`,
        workPerBlock: `${core.workPerBlock}`,
        confirmedAt: core.lastSettlement && new Date(core.lastSettlement.confirmedAt).toISOString(),
        transactionHash: core.lastSettlement && core.lastSettlement.transactionHash,
      },
      queued: {
        closedRoundCount: `${closed.length}`,
        closedWorkUnits: `${work(closed)}`,
        openRoundWorkUnits: `${open}`,
      },
      projected: project(work(closed) + open),
    };
  };

  const openWork = (end: bigint) => {
    const ofEpoch = receipts.filter((receipt) => receipt.counterEpoch === newest?.counterEpoch);
    const base = ofEpoch.findLast((receipt) => BigInt(receipt.observedAt) < end) ?? ofEpoch[0];
    return (newest?.cumulativeWorkUnits ?? 0n) - (base?.cumulativeWorkUnits ?? 0n);
  };

  const oracle = () => {
    if (closures.length === 0)
      return { state: "unavailable", reason: "no_accepted_closure", latestAcceptedAt: null, latestClosure: null };
    const latest = Math.max(...closures.map((closure) => closure.acceptedAt));
    const closure = closures.toSorted((a, b) => Number(b.lastRound - a.lastRound))[0];
    const reason = all("oracle").toSorted((a, b) => b.at - a.at)[0]?.blockedReason ?? null;
    return {
      state: reason !== null ? "blocked" : isOld(latest, 1_200_000) ? "stale" : "accepted",
      reason,
      latestAcceptedAt: new Date(latest).toISOString(),
      latestClosure: closure && {
        firstRound: `${closure.firstRound}`,
        lastRound: `${closure.lastRound}`,
        roundCount: `${closure.lastRound - closure.firstRound + 1n}`,
        acceptedAt: new Date(closure.acceptedAt).toISOString(),
      },
    };
  };

  const queue = () => {
    const unavailable = (reason: string) => ({ status: "unavailable", reason });
    if (core === undefined) return unavailable("oracle_head_unavailable");
    const frontier = core.settledThroughRound;
    const buffered: bigint[] = [];
    const newestAccepted = [...accepted].reduce((high, id) => (id > high ? id : high), frontier);
    for (let id = frontier + 1n; id <= newestAccepted; id++) {
      if (!accepted.has(id) || !rounds.has(id)) return unavailable("round_projection_gap");
      buffered.push(id);
    }
    if (buffered.some((id) => rounds.get(id)?.eligible === false)) return unavailable("round_ineligible");
    const control = all("settlement_control").toSorted((a, b) => b.at - a.at)[0];
    const runs = [...new Map(all("reporter_run").map((run) => [run.startedAt, run])).values()];
    const finished = runs
      .filter((run) => run.finishedAt !== null)
      .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0) || b.startedAt - a.startedAt)[0];
    const reporterIsStale =
      finished === undefined ||
      isOld(finished.finishedAt ?? 0, 600_000) ||
      runs.some((run) => run.finishedAt === null && run.startedAt > finished.startedAt);
    const submissions = [...new Map(all("submission").map((it) => [it.submissionId, it])).values()].toSorted(
      (a, b) => b.preparedAt - a.preparedAt || (a.submissionId < b.submissionId ? 1 : -1),
    );
    const active = submissions.find((it) => ["preparing", "submitted", "retrying"].includes(it.lifecycle));
    let state = buffered.length > 0 ? "ready" : "empty";
    if (active !== undefined) state = active.lifecycle;
    if (reporterIsStale) state = "stale";
    if (control === undefined || !control.settlementEnabled) state = "disabled";
    if (control !== undefined && control.blockedReason !== null) state = "blocked";
    const run = runs.toSorted((a, b) => b.startedAt - a.startedAt)[0];
    const time = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());
    const [latest] = submissions;
    return {
      status: "available",
      state,
      settlementEnabled: control?.settlementEnabled ?? false,
      reporterEnvironmentEnabled: control?.reporterEnvironmentEnabled ?? false,
      buffered: {
        firstRound: buffered.length === 0 ? null : `${buffered[0]}`,
        lastRound: buffered.length === 0 ? null : `${buffered.at(-1)}`,
        roundCount: `${buffered.length}`,
        activeRoundCount: `${buffered.filter((id) => (rounds.get(id)?.workUnits ?? 0n) > 0n).length}`,
        workUnits: `${work(buffered)}`,
      },
      projected: project(work(buffered)),
      incidentOpen: control?.incidentOpen ?? false,
      blockedReason: control?.blockedReason ?? null,
      lastRun:
        run === undefined
          ? null
          : { startedAt: time(run.startedAt), finishedAt: time(run.finishedAt), result: run.result },
      latestSubmission:
        latest === undefined
          ? null
          : {
              submissionId: latest.submissionId,
              lifecycle: latest.lifecycle,
              previousSettledThroughRound: `${latest.previousSettledThroughRound}`,
              settledThroughRound: `${latest.settledThroughRound}`,
              roundCount: `${latest.settledThroughRound - latest.previousSettledThroughRound}`,
              activeRoundCount: `${latest.activeRoundCount}`,
              expected: {
                cumulativeWork: `${latest.expected.cumulativeWork}`,
                blockHeight: `${latest.expected.blockHeight}`,
                currentWork: `${latest.expected.currentWork}`,
                completedBlockCount: `${latest.expected.completedBlockCount}`,
              },
              transactionHash: latest.transactionHash,
              preparedAt: time(latest.preparedAt),
              submittedAt: time(latest.submittedAt),
              terminalAt: time(latest.terminalAt),
              confirmedAt: time(latest.confirmedAt),
              outcomeCode: latest.outcomeCode,
            },
    };
  };

  return {
    schemaVersion: 4,
    installationId: INSTALLATION,
    measurement:
      newest === undefined
        ? null
        : {
            freshness: isOld(newest.receivedAt, 120_000) ? "stale" : "online",
            observedAt: new Date(newest.observedAt).toISOString(),
            receivedAt: new Date(newest.receivedAt).toISOString(),
            staleAfterSeconds: 120,
            counterEpoch: newest.counterEpoch,
            cumulativeWorkUnits: `${newest.cumulativeWorkUnits}`,
            provenance: "simulated",
            coreStatus: newest.coreStatus,
            rpmMilli: 43000,
            speedMmPerSecond: 612,
            distanceMm: 1234567,
          },
    builder: builder(),
    oracle: oracle(),
    settlementQueue: queue(),
  };
}
