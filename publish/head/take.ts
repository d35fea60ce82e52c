/**
 * How a publisher takes the head (docs/spec/publishing.md#one-writer): at once if it is free, released, or was held by
 * a dead process of the same state directory. Otherwise it waits as a
 * standby until the holder releases it, or until it has not changed for `SILENT_MS` by the standby's own monotonic clock.
 */
import { checkpointKey } from "../../src/http/keys.ts";
import { EVERY_RECORD, fieldsShown } from "../../src/ledger/intake/shown-in.ts";
import type { Signer } from "../../src/log/signer.ts";
import { type ObjectStore, readIfWhole, type StoreTag, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { Failure } from "../../src/values/failure.ts";
import { originOf } from "../../src/values/log.ts";
import { printable } from "../../src/values/printable.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { Clock, WatchedClock } from "../clock/clock.ts";
import { isClockFailure, refuseWrongClock } from "../clock/compare.ts";
import { formOf } from "../plan/log.ts";
import { isNewerProgram } from "../plan/responses.ts";
import { readCheckpoint, wholeCheckpoint } from "../published-log.ts";
import { isLocked } from "../sources/source-reader.ts";
import type { StateDirectory } from "../state-directory.ts";
import { type FoundHead, firstHead, type Head, readHead } from "./head.ts";
import { HeldHead, SILENT_MS } from "./held-head.ts";

export interface Candidate {
  readonly store: ObjectStore;
  readonly clock: WatchedClock;
  /** Locked by this process. So an earlier holder that used the same state directory is dead. */
  readonly state: StateDirectory;
  /** A random token of this process. */
  readonly holder: string;
  /** The configured installation. */
  readonly installationId: string;
  readonly signers: readonly Signer[];
  readonly program: string;
  readonly opens: OpenGuards;
  /** Called after the head was taken. */
  readonly onTaken?: (taken: TakenHead) => void;
}

/** The guards that the operator opens, each by a flag of its own. */
export interface OpenGuards {
  /** The log becomes public (`--publish-log`). */
  readonly publishLog?: boolean;
  /** The head is lost or damaged, and a new one begins (`--new-head`). */
  readonly newHead?: boolean;
  /** The published time goes back to this host's (`--accept-clock`). */
  readonly acceptClock?: boolean;
  /** The chain is right as it is (`--accept-chain`). */
  readonly acceptChain?: boolean;
}

interface TakenHead {
  /** The start of the earlier holder's token; null if there was none. */
  readonly from: string | null;
  readonly epoch: number;
  readonly because: "first" | "released" | "our own process died" | "silent" | "damaged";
}

/** Time between two reads of a waiting publisher (ms). */
const POLL_MS = 2_000;

/** For `publish --once`: watches a head that is not released. Throws `Failure` lease_held (75) if it changes. */
export async function takeForOneRun(candidate: Candidate, pause: (ms: number) => Promise<void>): Promise<HeldHead> {
  const attempts = standby(candidate);
  const held = await attempts.tryTake();
  if (held !== undefined) return held;
  const before = attempts.tag;
  for (;;) {
    await pause(attempts.pause());
    const taken = await attempts.tryTake();
    if (taken !== undefined) return taken;
    if (attempts.tag !== before) throw heldBy(attempts.head);
  }
}

function heldBy(head: Head | undefined): Failure {
  if (head === undefined) return new Failure("lease_held", "another publisher holds the lease");
  const { epoch, renewedAt, holder } = head.lease;
  const since = `renewed ${formatTimestamp(renewedAt)}`;
  return new Failure("lease_held", `publisher ${holder.slice(0, 8)} (epoch ${epoch}) holds the lease, ${since}`);
}

export interface Standby {
  /** Reads the head once and takes it if possible; undefined while another publisher holds it. */
  tryTake(): Promise<HeldHead | undefined>;
  /** Time until the next try (ms). */
  pause(): number;
  /** As it was read last. */
  readonly head: Head | undefined;
  readonly tag: StoreTag | undefined;
}

export function standby(candidate: Candidate): Standby {
  const { store, clock, state } = candidate;
  let isChecked = false;
  let seen: { readonly tag: StoreTag; readonly endsAt: number } | undefined;
  let found: FoundHead | undefined;
  return {
    get head() {
      return found?.head;
    },
    get tag() {
      return found?.tag;
    },
    pause: () => Math.max(0, Math.min(POLL_MS, (seen?.endsAt ?? Number.POSITIVE_INFINITY) - clock.monotonic())),
    async tryTake() {
      found = await readHead(store);
      if (found === undefined) return unlessHeld(take(candidate, found, "first"));
      const { head, tag } = found;
      if (head?.lease.released === true) return unlessHeld(take(candidate, found, "released"));
      if (head !== undefined && state.isOurs(head.lease.holder)) {
        return unlessHeld(take(candidate, found, "our own process died"));
      }
      // A publisher that may never have the lease ends now, and not when the holder dies.
      if (!isChecked && head !== undefined) await openingHead(found, candidate);
      isChecked = true;
      const now = clock.monotonic();
      if (seen?.tag !== tag) seen = { tag, endsAt: now + SILENT_MS };
      return now >= seen.endsAt
        ? unlessHeld(take(candidate, found, head === undefined ? "damaged" : "silent"))
        : undefined;
    },
  };
}

/** Undefined if another publisher was quicker. */
async function unlessHeld(head: Promise<HeldHead>): Promise<HeldHead | undefined> {
  try {
    return await head;
  } catch (error) {
    if (error instanceof Failure && error.code === "lease_held") return undefined;
    throw error;
  }
}

async function take(
  candidate: Candidate,
  found: FoundHead | undefined,
  because: TakenHead["because"],
): Promise<HeldHead> {
  const { store, clock, state, holder, onTaken } = candidate;
  const opening = await openingHead(found, candidate);
  const holderMoved = found?.head?.problems.some(([code]) => code === "clock_moved") ?? false;
  await refuseWrongClock({ store, clock, newestAt: opening.at, holderMoved });
  state.noteHolder(holder, store.name);
  const held = await HeldHead.take(store, clock, { opening, holder, tag: found?.tag });
  const from = found?.head?.lease.holder.slice(0, 8) ?? null;
  onTaken?.({ from, epoch: held.epoch, because });
  return held;
}

/**
 * Returns the head with which a publisher continues. Throws `Failure` head_lost, installation_changed, log_key_missing,
 * log_key_changed, log_unconfirmed (2), and `StoreUnavailable`.
 */
export async function openingHead(found: FoundHead | undefined, candidate: OpeningOf): Promise<Head> {
  const { store, installationId, program, opens, clock } = candidate;
  const head = found?.head ?? (await beginning(found, candidate));
  if (head.installationId !== installationId && head.log.size > 0) {
    throw new Failure(
      "installation_changed",
      `${store.name} belongs to ${head.installationId}, and installationId is ${installationId}`,
    );
  }
  await checkLogKey(head, candidate);
  const stored = await wholeCheckpoint(store, head.log.form);
  const isOlder = stored !== undefined && stored.size > head.log.size;
  const log = isOlder ? { ...head.log, size: stored.size, root: stored.root } : head.log;
  const { unfinished } = head;
  const isUpgrade = isNewerProgram(program, head.program);
  const isAccepted = opens.acceptClock === true && head.at > clock.wall();
  const keys = isOlder || isAccepted ? Object.keys(head.responses) : unfinished.keys;
  const unknown = new Set(isOlder ? keys : unfinished.keys);
  const at = isAccepted ? clock.wall() : head.at;
  // A response that is ahead of an accepted clock is put again at once.
  const responses = Object.entries(head.responses).map(([key, response]) => {
    const tag = unknown.has(key) ? null : response.tag;
    const isAhead = isAccepted && response.asOf > at;
    // No stored object has an empty seal.
    return [key, { ...response, tag, ...(isAhead ? { asOf: at, seal: "" } : {}) }] as const;
  });
  const begins = isUpgrade || isAccepted ? { ...unfinished, since: 0, until: 0, through: 0, left: [] } : unfinished;
  return {
    ...head,
    installationId,
    log,
    responses: Object.fromEntries(responses),
    unfinished: { ...begins, keys },
    problems: [],
    at,
    chain: opens.acceptChain === true ? null : head.chain,
  };
}

type OpeningOf = Pick<Candidate, "store" | "installationId" | "signers" | "program" | "opens"> & {
  readonly clock: Pick<Clock, "wall">;
};

/** The head of an empty prefix, or a new one for a prefix whose head is lost. */
async function beginning(
  found: FoundHead | undefined,
  { store, installationId, signers, opens }: OpeningOf,
): Promise<Head> {
  const checkpoints = {
    public: await readCheckpoint(store, "public"),
    private: await readCheckpoint(store, "private"),
  };
  const form = checkpoints.public === undefined && checkpoints.private !== undefined ? "private" : formOf(signers);
  const first = firstHead(installationId, form);
  const stored = checkpoints[form];
  const isEmpty =
    found === undefined && stored === undefined && (await readIfWhole(store, TELEMETRY_KEY)) === undefined;
  if (isEmpty) return first;
  if (opens.newHead !== true) {
    const what = found === undefined ? "is missing" : "is damaged";
    throw new Failure("head_lost", `private/head.json in ${store.name} ${what}, and something is published there`);
  }
  // Published facts cannot go back: the log continues after the stored checkpoint.
  return stored === undefined ? first : { ...first, log: { ...first.log, size: stored.size, root: stored.root } };
}

/** A log that was signed once is never stored unsigned or by another name, because its readers remember both. */
async function checkLogKey({ log }: Head, { store, signers, opens }: OpeningOf): Promise<void> {
  const name = signers[0]?.verifier.name;
  const stored = await readIfWhole(store, checkpointKey("public"));
  if (name === undefined) {
    if (log.form === "private" && stored === undefined) return;
    if (log.form === "public" && log.size === 0) return;
    throw new Failure("log_key_missing", `the log in ${store.name} is signed, and the publisher has no key`);
  }
  if (stored === undefined) {
    if (opens.publishLog === true || (log.form === "public" && log.size > 0)) return;
    throw logUnconfirmed(name);
  }
  const [origin = ""] = new TextDecoder().decode(stored.body).split("\n");
  if (origin === originOf(name)) return;
  throw new Failure("log_key_changed", `the log is signed as ${printable(origin)}, and the key is named ${name}`);
}

/** `name`: the name of the key that signs the log. */
export function logUnconfirmed(name: string): Failure {
  const unseen = fieldsShown((routes) => routes.length === 0);
  const summed = fieldsShown((routes) => !routes.includes(EVERY_RECORD), ["receipt"]);
  return new Failure(
    "log_unconfirmed",
    `the log becomes public for ever, signed as ${originOf(name)}: every value of every record\n` +
      `    no route shows: ${unseen}\n` +
      `    routes show only newest values, sums and peaks of: ${summed}; every other record`,
  );
}

export interface Waiting {
  /** Brings the projections up to date, so that the first cycle after a takeover is short. */
  follow(): Promise<void>;
  readonly signal: AbortSignal;
  /** Waits for `ms` milliseconds, or until the signal. */
  pause(ms: number): Promise<void>;
  /** Called once if another publisher holds the lease. */
  onWait(): void;
  /** Called after each attempt that did not fail. */
  onSuccess(): void;
  onOutage(error: Error): void;
  /** Called if the lease could be taken, but the clock is wrong. */
  onClock(failure: Failure): void;
}

/** While the clock is wrong, it is looked at again after this time (ms). */
const CLOCK_AGAIN_MS = 5_000;

/** Waits until the head is taken, also through outages of the store; undefined if the signal ended the wait. */
export async function waitForHead(standby: Standby, waiting: Waiting): Promise<HeldHead | undefined> {
  const { signal, onWait, onSuccess, onOutage, onClock } = waiting;
  let hasWaited = false;
  while (!signal.aborted) {
    let isClockWrong = false;
    try {
      const held = await standby.tryTake();
      onSuccess();
      if (held !== undefined) return held;
      if (!hasWaited) onWait();
      hasWaited = true;
    } catch (error) {
      if (isClockFailure(error)) {
        onClock(error);
        isClockWrong = true;
      } else if (error instanceof StoreUnavailable) onOutage(error);
      else throw error;
    }
    try {
      await waiting.follow();
    } catch (error) {
      // Following is tried again after the pause.
      if (!isLocked(error)) throw error;
    }
    await waiting.pause(isClockWrong ? CLOCK_AGAIN_MS : standby.pause());
  }
  return undefined;
}
