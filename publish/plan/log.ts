/**
 * Plans the objects of the log, and compares the ledger with it (docs/spec/publishing.md#log). The checkpoint is the commit
 * point of everything that is computed from facts: a response is put only after a checkpoint that covers its facts.
 */
import { checkpointKey, logPrefix } from "../../src/http/keys.ts";
import { contains, entryTexts, type LogPoint, logPoint, logSize, rootOf } from "../../src/ledger/log.ts";
import { checkpointText } from "../../src/log/checkpoint.ts";
import { type Bundle, bundlePath, encodeBundle, newBundles, TILE_WIDTH } from "../../src/log/tiles.ts";
import { encodeWriterMetadata, type SourceVersion } from "../../src/object-store/stored-response.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { Failure } from "../../src/values/failure.ts";
import type { Known } from "../known.ts";
import { WAS_DAMAGED } from "../report.ts";
import type { Planning, Put } from "./plan.ts";

/** At most so many bundles per plan, so that a long log needs little memory. */
const BUNDLES_LIMIT = 64;
const BINARY = "application/octet-stream";
const TEXT = "text/plain; charset=utf-8";

/** The log of a plan's snapshot, and the published one. */
export interface LogState {
  /** The number of the published log. */
  readonly number: number;
  /** Undefined without a ledger. */
  readonly now: LogPoint | undefined;
  /** The size and root that are committed; undefined before the first checkpoint. */
  readonly published: LogPoint | undefined;
}

/**
 * Returns the state of the log. If the checkpoint is lost, the newest of the configured installation's objects takes its
 * place: `own` are their versions.
 */
export function logState(
  number: number,
  ledger: ReadOnlyDatabase | undefined,
  known: Known,
  own: readonly SourceVersion[],
): LogState {
  const stored = known.get(checkpointKey(number));
  const versions = stored?.condition === "stored" ? [stored.sourceVersion] : own.filter(({ log }) => log === number);
  const points = versions.flatMap(({ size, root }) =>
    size === undefined || root === undefined ? [] : [{ size, root }],
  );
  const published = points.reduce<LogPoint | undefined>(
    (newest, point) => (newest === undefined || point.size > newest.size ? point : newest),
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
  const abandon = `If the published facts are lost for good, abandon them: noonmark publish --once --new-log ${number + 1}`;
  if (size < published.size) {
    return new Failure("ledger_behind", `${log}, and the ledger has ${size}`, {
      hint: `What was published stays. Restore the newest backup, and ingest the missing facts in their order: noonmark ingest FILE --yes. ${abandon}`,
    });
  }
  return new Failure("ledger_forked", `${log}, and the ledger has other facts among these`, {
    hint: `What was published stays. Restore the ledger that was published from. ${abandon}`,
  });
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

export interface LogPlan {
  readonly puts: readonly Put[];
  /** The plan commits all entries of the ledger. */
  readonly isWhole: boolean;
}

/**
 * Plans the entries after the published ones, and the checkpoint that commits them. A long log goes up in several plans, each
 * with a checkpoint.
 */
export function planLog({ number, now, published }: LogState, { known, at }: Pick<Planning, "known" | "at">): LogPlan {
  if (now === undefined || now.size === 0) return { puts: [], isWhole: true };
  const place = { number, now, known, at };
  const since = published?.size ?? 0;
  const isCommitted = known.get(checkpointKey(number))?.condition === "stored" && since === now.size;
  const first = Math.floor(since / TILE_WIDTH);
  const size = Math.min(now.size, (first + BUNDLES_LIMIT) * TILE_WIDTH);
  const grown = isCommitted ? [] : [...newBundles(since, size)];
  const lost = faultyBundles(number, since, known).filter(({ index }) => !grown.some((one) => one.index === index));
  const bundles = [...lost, ...grown].map((one) => bundlePut(one, place));
  const puts = isCommitted ? bundles : [...bundles, checkpointPut(size, place, bundles)];
  return { puts, isWhole: size === now.size };
}

/** The committed bundles that are damaged or missing, as far as it is known. */
function faultyBundles(number: number, since: number, known: Known): Bundle[] {
  const last = Math.floor(since / TILE_WIDTH);
  const growing = known.get(bundleKey(number, last))?.condition;
  const isLastFaulty = since % TILE_WIDTH > 0 && growing !== undefined && growing !== "stored";
  const full = known.faultyTiles(logPrefix(number)).map((key) => bundleIndex(key));
  return [
    ...full.filter((index) => index < last).map((index) => ({ index, width: TILE_WIDTH })),
    ...(isLastFaulty ? [{ index: last, width: since % TILE_WIDTH }] : []),
  ];
}

/** A bundle keeps its key while it grows, because only the operator reads it. */
export function bundleKey(number: number, index: number): string {
  return logPrefix(number) + bundlePath({ index, width: TILE_WIDTH });
}

interface Place {
  readonly number: number;
  /** The log of the snapshot that was checked. */
  readonly now: LogPoint;
  readonly known: Known;
  readonly at: number;
}

const ROW = { resource: "observations", status: 200, etag: null } as const;

/** Beyond the checkpoint another publisher may have put other entries. */
function bundlePut(bundle: Bundle, { number, now, known, at }: Place): Put {
  const key = bundleKey(number, bundle.index);
  const before = known.get(key);
  return {
    ...ROW,
    key,
    phase: "bundles",
    why: before === undefined ? "new" : "grew",
    action: before === undefined ? "created" : "updated",
    replaces: before?.tag ?? null,
    after: [],
    isContentEnough: true,
    object({ epoch, writer }, snapshot) {
      const body = snapshot(({ ledger }) =>
        ledger !== undefined && contains(ledger, now) ? bundleOf(bundle, ledger) : undefined,
      );
      if (body === undefined) return undefined;
      const sourceVersion = { at, log: number, size: bundle.index * TILE_WIDTH + bundle.width };
      return { body, contentType: BINARY, metadata: encodeWriterMetadata({ epoch, writer, sourceVersion }) };
    },
    confirmed(to, tag, object) {
      // A full bundle never changes.
      if (bundle.width === TILE_WIDTH) return to.tileRewritten(key);
      const rest = { states: [], status: 200, bytes: object.body.length, etag: null, putAt: at };
      to.remember({ key, condition: "stored", tag, sourceVersion: { at, log: number }, ...rest });
    },
    conflicted: (to, found) => (found === undefined ? to.drop(key) : to.rememberFaulty(key, found.tag)),
  };
}

function bundleIndex(key: string): number {
  return Number(key.slice(key.indexOf("entries/")).replaceAll(/\D/g, ""));
}

export function bundleOf({ index, width }: Bundle, ledger: ReadOnlyDatabase): Uint8Array {
  const from = index * TILE_WIDTH;
  return encodeBundle([...entryTexts(ledger, from, from + width)].map((text) => Buffer.from(text)));
}

function checkpointPut(size: number, { number, now, known, at }: Place, bundles: readonly Put[]): Put {
  const key = checkpointKey(number);
  const before = known.get(key);
  let version: SourceVersion = { at, log: number };
  return {
    ...ROW,
    key,
    phase: "checkpoint",
    why: before?.condition === "stored" ? "grew" : before?.condition === "absent" ? "new" : WAS_DAMAGED,
    action: before?.condition === "stored" ? "updated" : "created",
    replaces: before?.tag ?? null,
    after: bundles.map((put) => put.key),
    isContentEnough: false,
    object({ epoch, writer }, snapshot) {
      const root = snapshot(({ ledger }) =>
        ledger !== undefined && contains(ledger, now) ? rootOf(ledger, size) : undefined,
      );
      if (root === undefined) return undefined;
      version = { at, log: number, size, root };
      const body = Buffer.from(checkpointText({ origin: logPrefix(number).slice(0, -1), size, root }));
      return { body, contentType: TEXT, metadata: encodeWriterMetadata({ epoch, writer, sourceVersion: version }) };
    },
    confirmed(to, tag, object) {
      const rest = { states: [], status: 200, bytes: object.body.length, etag: null, putAt: at };
      to.remember({ key, condition: "stored", tag, sourceVersion: version, ...rest });
      to.saveCheckpoint(object.body);
    },
    conflicted: (to) => to.forget(key),
  };
}
