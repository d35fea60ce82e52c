/**
 * Looks for damage (docs/spec/publishing.md#damage): reads some stored objects after each renewal, and puts again what is
 * wrong or missing. Doubted objects are read at each renewal, because a late put may bring back an older object.
 */
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { contains, type LogPoint } from "../src/ledger/log.ts";
import { type Installation, installationRowId, listInstallations, readWatermarks } from "../src/ledger/watermarks.ts";
import {
  readIfWhole,
  readOrDamaged,
  StoreDamaged,
  type StoredObject,
  type StoreTag,
} from "../src/object-store/object-store.ts";
import { sealOf } from "../src/object-store/seal-node.ts";
import { observationTileKey, parseObservationTileKey, tileOf } from "../src/resources/observations/route.ts";
import type { ImmutableTile, Publication } from "../src/resources/publication.ts";
import type { Snapshot, Snapshots } from "../src/resources/snapshot.ts";
import { unknownTelemetryPublication } from "../src/resources/telemetry/publication.ts";
import { installationTelemetryKey, parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { confirmed } from "./cycle.ts";
import { eachLimited } from "./each-limited.ts";
import type { Head } from "./head/head.ts";
import { observationTile, tileObject } from "./plan/installations.ts";
import { filesOf, logFileObject } from "./plan/log.ts";
import { namedObject } from "./plan/tile-sets.ts";
import { executeDeletions, executePuts, type Put, type PutTarget } from "./put.ts";
import { WAS_DAMAGED } from "./report.ts";

/** A put that was repeated, or whose end is unknown, may arrive within this time (ms). */
const DOUBT_MS = 90_000;

interface Checking {
  readonly sources: Snapshots;
  readonly target: PutTarget;
  /** All but telemetry. */
  readonly publications: readonly Publication[];
}

/** Reads the doubted objects. What is wrong becomes unfinished, or is put again. `at` in epoch ms. */
export async function checkDoubted(checking: Checking, at: number): Promise<void> {
  const { held } = checking.target;
  for (const [key, since] of held.head.doubted) {
    await check(key, checking);
    if (at - since < DOUBT_MS) continue;
    held.note(({ doubted }) => ({ doubted: doubted.filter(([other, instant]) => other !== key || instant !== since) }));
  }
}

/**
 * Finds out which of the responses that an earlier process has left unfinished are stored. The chain may still be
 * unknown, and then a good one must stay. Throws the store's own errors.
 */
export async function confirmStored({ held, store, concurrency }: PutTarget): Promise<void> {
  const tags = new Map<string, StoreTag>();
  await eachLimited(held.head.unfinished.keys, concurrency, async (key) => {
    const found = await readIfWhole(store, key);
    if (found !== undefined && sealOf(found) === held.head.responses[key]?.seal) tags.set(key, found.tag);
  });
  held.note((head) => confirmed(head, tags));
}

/**
 * Checks what many responses need, and one other object of each kind: a response, the telemetry of another installation,
 * a tile or a file of the log. `turn` counts the calls. Throws the store's own errors.
 */
export async function checkInTurn(turn: number, checking: Checking): Promise<void> {
  const { target, sources, publications } = checking;
  const { responses, log, listed } = target.held.head;
  const shared = [
    INSTALLATIONS_KEY,
    unknownTelemetryPublication.key,
    ...publications.filter(isConstant).map(({ key }) => key),
  ];
  const rest = Object.keys(responses).filter((key) => !shared.includes(key));
  const keys = sources.snapshot((snapshot) => {
    const { ledger, installationId: configured } = snapshot;
    const installations = ledger === undefined ? [] : listInstallations(ledger).filter(({ rowId }) => rowId <= listed);
    const other = inTurn(
      installations.filter(({ id }) => id !== configured),
      turn,
    );
    const third = Math.floor(turn / 3);
    const file = [
      () => ledger && tileInTurn(ledger, installations, third),
      () => inTurn([...filesOf(log.form, 0, log.size)], third)?.key,
      () => inTurn(namedTiles(publications, snapshot), third)?.key,
    ][turn % 3]?.();
    return [inTurn(rest, turn), other && installationTelemetryKey(other.id), file];
  });
  for (const key of [...shared, ...keys]) if (key !== undefined) await check(key, checking);
}

function isConstant({ sources }: Publication): boolean {
  return sources === undefined;
}

function inTurn<T>(items: readonly T[], turn: number): T | undefined {
  return items[turn % Math.max(1, items.length)];
}

type Ledger = NonNullable<Snapshot["ledger"]>;

function tileInTurn(ledger: Ledger, installations: readonly Installation[], turn: number): string | undefined {
  const installation = inTurn(installations, turn);
  const newest = installation === undefined ? 0 : readWatermarks(ledger, installation.rowId).receipt;
  if (installation === undefined || newest === 0) return undefined;
  return observationTileKey(installation.id, Math.floor(turn / installations.length) % (tileOf(newest) + 1));
}

/** Tiles of activity, and assets of the page. */
function namedTiles(publications: readonly Publication[], snapshot: Snapshot): ImmutableTile[] {
  return publications.flatMap(({ tileSet }) =>
    tileSet === undefined || tileSet.version(snapshot) === "" ? [] : tileSet.tiles(snapshot).flat(),
  );
}

async function check(key: string, checking: Checking): Promise<void> {
  const { store, held } = checking.target;
  const published = held.head.responses[key];
  if (held.head.unfinished.keys.includes(key)) return;
  const found = await readOrDamaged(store, key);
  const whole = found instanceof StoreDamaged ? undefined : found;
  if (published !== undefined) {
    const isRight = whole !== undefined && sealOf(whole) === published.seal;
    // It may have been put meanwhile.
    if (isRight || held.head.responses[key] !== published) return;
    held.note((head) => unfinishedWith(head, key));
    // An older index would call newer installations unknown. Without one their requests are 503.
    if (key === INSTALLATIONS_KEY && whole !== undefined && !canContinue(checking.sources, held.head.log))
      await executeDeletions([key], checking.target);
    return;
  }
  const id = parseInstallationTelemetryKey(key);
  if (id === undefined) {
    const put = repairOf(key, whole, checking);
    if (put !== undefined) await executePuts([put], checking.target);
  } else if (whole === undefined) held.note((head) => putAgain(head, id, checking.sources));
}

/** True if the ledger has every published fact. */
function canContinue(sources: Snapshots, log: LogPoint): boolean {
  return sources.snapshot(({ ledger }) => ledger !== undefined && contains(ledger, log));
}

/** Makes the next cycle put a response again. */
function unfinishedWith({ unfinished, responses }: Head, key: string): Pick<Head, "unfinished" | "responses"> {
  const response = responses[key];
  return {
    unfinished: { ...unfinished, keys: [...new Set([...unfinished.keys, key])] },
    responses: response === undefined ? responses : { ...responses, [key]: { ...response, tag: null } },
  };
}

/** Makes the next cycle put the telemetry of an installation again. */
function putAgain({ unfinished }: Head, id: string, sources: Snapshots): Pick<Head, "unfinished"> {
  const newest = sources.snapshot(({ ledger }) => {
    const rowId = ledger && installationRowId(ledger, id);
    return ledger === undefined || rowId === undefined ? 0 : readWatermarks(ledger, rowId).receipt;
  });
  const left = unfinished.left.filter(([other]) => other !== id);
  return { unfinished: { ...unfinished, left: [...left, [id, newest]] } };
}

/** The put of a tile or of a file of the log; undefined if the stored one has nothing else than the sources. */
function repairOf(
  key: string,
  whole: StoredObject | undefined,
  { sources, target, publications }: Checking,
): Put | undefined {
  const { log } = target.held.head;
  const stored = whole?.body;
  const row = { why: WAS_DAMAGED, action: "updated", status: 200, etag: null, replaces: undefined } as const;
  return sources.snapshot((snapshot): Put | undefined => {
    const { ledger } = snapshot;
    const tile = namedTiles(publications, snapshot).find((one) => one.key === key);
    if (tile !== undefined) {
      const object = namedObject(tile, snapshot);
      if (object === undefined || (whole !== undefined && sealOf(whole) === sealOf(object))) return undefined;
      return { key, resource: "activity", wave: "tiles", object, ...row };
    }
    // Nothing is put from a ledger that is behind or forked.
    if (ledger === undefined || !contains(ledger, log)) return undefined;
    const parsed = parseObservationTileKey(key);
    if (parsed === undefined) {
      const file = [...filesOf(log.form, 0, log.size)].find((one) => one.key === key);
      const body = file?.body(ledger);
      if (body === undefined || (stored !== undefined && Buffer.compare(body, stored) === 0)) return undefined;
      return { key, resource: "log", wave: "log", object: logFileObject(body), ...row };
    }
    const { installationId: id, tile: number } = parsed;
    const rowId = installationRowId(ledger, id);
    const body = rowId === undefined ? undefined : observationTile(ledger, { rowId, id }, number);
    // The last tile may have new receipts that are not put yet.
    const isRight = stored !== undefined && body?.subarray(0, stored.length).equals(stored) === true;
    if (body === undefined || isRight) return undefined;
    return { key, resource: "observations", wave: "observations", object: tileObject(body), ...row };
  });
}
