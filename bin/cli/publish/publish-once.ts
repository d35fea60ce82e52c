/** Runs `noonmark publish --once`: one cycle under the lease. */
import { setTimeout as wait } from "node:timers/promises";
import { systemClock, WatchedClock } from "../../../publish/clock/clock.ts";
import { explicitInstant } from "../../../publish/clock/instant.ts";
import { readHead } from "../../../publish/head/head.ts";
import { heldBy, takeForOneRun } from "../../../publish/head/take.ts";
import { Publisher } from "../../../publish/publisher.ts";
import type { CycleReport } from "../../../publish/report.ts";
import { StateDirectory } from "../../../publish/state-directory.ts";
import { pollUntilConcluded } from "../../../src/chain/chain.ts";
import {
  isNodeProblem,
  isProblem,
  type NodeProblem,
  type PollEvent,
  type ProblemEvent,
  problemFailure,
} from "../../../src/chain/poll-event.ts";
import { countedStore } from "../../../src/object-store/counted-store.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { parseInstant } from "../arguments.ts";
import { newDirectoryOf, openConfiguredStore, openPublishedStore } from "../configured-store.ts";
import { warn } from "../messages.ts";
import type { Settings } from "../settings/settings.ts";
import { instantClock, openSources } from "../sources.ts";
import { judgeInstallation } from "./judge-settings.ts";
import { candidateOf, type PublishFlags, publisherOptions } from "./publisher-options.ts";
import { RewriteReports } from "./rewrite-reports.ts";

export interface OnceFlags extends PublishFlags {
  /** ISO 8601. */
  readonly at?: string;
}

/** Throws `Failure` as a publisher does: state_locked, lease_held (75), at_in_future, ledger_… and store_… (74). */
export async function publishOnce(settings: Settings, flags: OnceFlags): Promise<CycleReport> {
  const clock = new WatchedClock(systemClock);
  const state = await openState(settings);
  try {
    return await publishWith(state, settings, flags, clock);
  } finally {
    state.close();
  }
}

async function publishWith(
  state: StateDirectory,
  settings: Settings,
  flags: OnceFlags,
  clock: WatchedClock,
): Promise<CycleReport> {
  const given = parseInstant(flags.at);
  const opened = await openPublishedStore(settings, state);
  const rewrites = new RewriteReports((key) => warn({ code: "rewritten", message: `${key} was missing or damaged` }));
  const store = countedStore(opened, (operation, key, outcome) => {
    rewrites.requested(operation, key, outcome);
  });
  const at = given === undefined ? undefined : await judgedInstant(given, flags, store);
  const now = at === undefined ? () => clock.wall() : instantClock(at);
  const { reader, chain } = await openSources(settings, { state: "own", whole: true, now, onEvent: chainWarnings() });
  try {
    judgeInstallation(flags, reader, now());
    const limitMs = settings.deadline * 1000;
    const limited = withDeadline(store, () => clock.monotonic(), limitMs);
    // Reads the chain before taking the lease, which would expire meanwhile. The remaining time is for the puts.
    await pollUntilConcluded(chain, now, now() + chainTime(limitMs));
    const options = publisherOptions(settings, flags, { store: limited, reader, clock, state });
    const held = await takeForOneRun({ ...candidateOf(options, flags), store }, (ms) => wait(ms));
    const report = await Publisher.hold(options, held, (publisher) => publisher.once(at ?? publisher.instant(now())));
    rewrites.cycled(report.rows);
    return report;
  } finally {
    reader.close();
  }
}

async function judgedInstant(at: number, flags: OnceFlags, store: ObjectStore): Promise<number> {
  const last = (await readHead(store))?.head?.at ?? 0;
  return explicitInstant({ at, last, now: systemClock.wall(), force: flags.force ?? false });
}

/**
 * Warns the operator once of each node and check. A run asks a node that does not respond a second time. An unavailable
 * chain is data, so the exit code stays 0.
 */
function chainWarnings(): (event: PollEvent) => void {
  const warned = new Set<string>();
  return (event) => {
    if (!isProblem(event)) return;
    const subject = `${event.kind} ${event.node} ${"check" in event ? event.check : ""}`;
    if (warned.has(subject)) return;
    warned.add(subject);
    if (isNodeProblem(event)) warn(problemFailure(event));
    else console.error(printable(`noonmark: warning: chain: ${event.node}: ${problemText(event)}`));
  };
}

function problemText(event: Exclude<ProblemEvent, NodeProblem>): string {
  if (event.kind === "failed") return event.message;
  const what = event.kind === "mismatch" ? event.kind : "unconfirmed fault";
  return `${what} ${event.check}: ${event.detail}`;
}

/** Opens the state. If two runs are on one host, the second names the lease's holder, not only the locked file. */
async function openState(settings: Settings): Promise<StateDirectory> {
  try {
    return StateDirectory.open(settings.state);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "state_locked") throw error;
    if (newDirectoryOf(settings) !== undefined) throw error;
    const head = (await readHead(await openConfiguredStore(settings, { write: false })))?.head;
    throw head === undefined || head.lease.released ? error : heldBy(head);
  }
}

/** Maximum time (ms) that is reserved for the puts of a run. */
const LONGEST_RESERVE_MS = 10_000;
const RESERVED_SHARE = 0.4;

/** Returns the part of a run's `limitMs` for passes over the chain, so that a silent node does not delay the puts. */
function chainTime(limitMs: number): number {
  return limitMs - Math.min(LONGEST_RESERVE_MS, limitMs * RESERVED_SHARE);
}

/**
 * Wraps a store so that a run starts no call after its deadline. Calls in progress end by the store's own time limit.
 * The next run finds the missing puts as after a crash.
 */
export function withDeadline(store: ObjectStore, monotonic: () => number, limitMs: number): ObjectStore {
  const end = monotonic() + limitMs;
  const inTime = () => {
    if (monotonic() >= end)
      throw new StoreUnavailable(`the run's time (${limitMs / 1_000} s, --deadline) is over`, {
        hint: "The next run puts what is missing. If this happens again, give more time: --deadline SECONDS.",
      });
  };
  return {
    name: store.name,
    async get(key, options) {
      inTime();
      return store.get(key, options);
    },
    async put(key, object, condition) {
      inTime();
      return store.put(key, object, condition);
    },
    async delete(key) {
      inTime();
      return store.delete(key);
    },
    async *list(prefix) {
      inTime();
      yield* store.list(prefix);
    },
  };
}
