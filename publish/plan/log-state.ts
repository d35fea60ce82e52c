/** What is known of the published log, and the one check of a ledger against it (docs/spec/publishing.md#log). */
import { checkpointKey, LOG_ROOTS } from "../../src/http/keys.ts";
import { readStreamPosition } from "../../src/ledger/intake/stream-position.ts";
import { contains, type LogPoint, logPoint, logSize } from "../../src/ledger/log.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { Failure } from "../../src/values/failure.ts";
import type { Known } from "../known.ts";
import type { KnownObject } from "../known-objects.ts";

/** The log of a plan's snapshot, and the published one. */
export interface LogState {
  /** The number of the published log. */
  readonly number: number;
  /** Undefined without a ledger. */
  readonly now: LogPoint | undefined;
  /** The size and root that are committed; undefined before the first checkpoint. */
  readonly published: LogPoint | undefined;
}

/** Returns the newest stored checkpoint of a log. A log that was just made public has a private one, too. */
export function storedCheckpoint(known: Known, number: number): KnownObject | undefined {
  const stored = checkpoints(known, number).filter(({ condition }) => condition === "stored");
  return stored.toSorted((one, other) => committedSize(other) - committedSize(one))[0];
}

function checkpoints(known: Known, number: number): KnownObject[] {
  return LOG_ROOTS.map((root) => known.objects.get(checkpointKey(root, number))).filter((one) => one !== undefined);
}

/** Returns how many entries a stored checkpoint commits. */
export function committedSize({ sourceVersion: { size = 0 } }: KnownObject): number {
  return size;
}

/**
 * Returns the state of the log. Without a stored checkpoint, `published` is the longest of the logs that are known otherwise: from a
 * checkpoint that was damaged or replaced by an older one, or from `own`. These are the versions of the configured installation's
 * objects.
 */
export function logState(
  number: number,
  ledger: ReadOnlyDatabase | undefined,
  known: Known,
  own: readonly SourceVersion[],
): LogState {
  const stored = storedCheckpoint(known, number);
  const damaged = checkpoints(known, number).filter(({ condition }) => condition === "damaged");
  const others = [...own, ...damaged.map(({ sourceVersion }) => sourceVersion)].filter(({ log }) => log === number);
  const versions = stored === undefined ? others : [stored.sourceVersion];
  const points = versions.flatMap(({ size, root }) =>
    size === undefined || root === undefined ? [] : [{ size, root }],
  );
  const published = points.reduce<LogPoint | undefined>(
    (longest, point) => (longest === undefined || point.size > longest.size ? point : longest),
    undefined,
  );
  return { number, now: ledger && logPoint(ledger), published };
}

/**
 * The one check: `Failure` ledger_behind or ledger_forked unless the ledger contains the published log. Then nothing that
 * was published can change: equal roots mean equal facts in equal order.
 */
export function ledgerRegression(
  ledger: ReadOnlyDatabase | undefined,
  { number, published }: Pick<LogState, "number" | "published">,
): Failure | undefined {
  if (published === undefined || (ledger !== undefined && contains(ledger, published))) return undefined;
  const size = ledger === undefined ? 0 : logSize(ledger);
  const log = `log ${number} was published with ${published.size} entries`;
  const isShort = size < published.size;
  const facts = { is: "ledger_regression", newLog: number + 1, isShort } as const;
  const isFollowing = ledger !== undefined && readStreamPosition(ledger) !== undefined;
  return isShort
    ? new Failure("ledger_behind", `${log}, and the ledger has ${size}`, {
        facts: isFollowing ? { is: "stream_behind" } : facts,
      })
    : new Failure("ledger_forked", `${log}, and the ledger has other facts among these`, { facts });
}

/** True if an object was computed from facts that the ledger contains. */
export function isOfLog(
  { log, size, root }: SourceVersion,
  number: number,
  ledger: ReadOnlyDatabase | undefined,
): boolean {
  if (log !== undefined && log !== number) return false;
  if (size === undefined || root === undefined || ledger === undefined) return true;
  return contains(ledger, { size, root });
}
