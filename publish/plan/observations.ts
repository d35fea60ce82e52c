/**
 * Plans the observation tiles of one installation (docs/spec/publishing.md#tiles). Positions are dense, so a position gives its
 * tile. Full tiles never change, the last one grows, and they are stored in ascending order.
 */

import { contains, type LogPoint, logPoint } from "../../src/ledger/log.ts";
import { readReceipts } from "../../src/ledger/read/receipts.ts";
import { type Installation, installationRowId, readWatermarks } from "../../src/ledger/watermarks.ts";
import { encodeWriterMetadata } from "../../src/object-store/stored-response.ts";
import { buildObservationTile, tileBounds } from "../../src/resources/observations/build.ts";
import { observationsKey, observationTileKey, tileOf } from "../../src/resources/observations/route.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import type { TileProgress } from "../known-tiles.ts";
import { WAS_DAMAGED } from "../report.ts";
import type { Scope } from "./check.ts";
import { EMPTY_PLAN, needs, type Phase, type Plan, type Planning, type Put } from "./plan.ts";

/** One line of JSON per item. */
export const TILE_TYPE = "application/x-ndjson; charset=utf-8";
/** At most so many tiles per plan, so that a first publish of a long history needs little memory. */
const TILES_LIMIT = 64;
/** Plans no tile from a refused ledger. */
export function planObservations({ subject, snapshot, log, refused }: Scope, planning: Planning): Plan {
  const { known, due, at } = planning;
  const { ledger } = snapshot;
  const { id } = subject;
  const rowId = ledger && installationRowId(ledger, id);
  if (ledger === undefined || rowId === undefined) return EMPTY_PLAN;
  if (refused.ledger !== undefined || log.now === undefined) return EMPTY_PLAN;
  const through = readWatermarks(ledger, rowId).receipt;
  const stored = known.tiles.progress(id);
  if (stored?.log !== log.number) {
    return needs([{ is: "progress", installationId: id, log: log.number, lastTile: tileOf(Math.max(1, through)) }]);
  }
  const foreign = stored.point !== null && !contains(ledger, stored.point) ? tileOf(stored.position) : undefined;
  const progress = foreign === undefined ? stored : { ...stored, position: tileBounds(foreign).first - 1 };
  const source = { installation: { rowId, id }, log: log.number, at, now: log.now, foreign };
  const faulty = known.tiles.faulty(`${observationsKey(id)}/${log.number}/`);
  const puts = [
    ...faulty.flatMap((key) => faultyTile(key, progress, source, planning)),
    ...nextTiles(progress, through, source, planning),
  ];
  const until = due.tilesAt(id);
  // A new tile does not wait: it must be stored before the telemetry that names its receipts.
  if (puts.length > 0 && until > at && puts.every(({ phase }) => phase === "grown-tile")) {
    return { ...EMPTY_PLAN, observations: [{ installationId: id, until, hasPuts: false, hasMore: false }] };
  }
  const hasMore = through > tileBounds(tileOf(progress.position + 1) + TILES_LIMIT - 1).last;
  const planned = { installationId: id, until: undefined, hasPuts: puts.length > 0, hasMore };
  return { ...EMPTY_PLAN, observations: [planned], puts };
}

interface TileSource {
  readonly installation: Installation;
  /** The number of the log. */
  readonly log: number;
  /** Epoch ms. */
  readonly at: number;
  /** The log of the snapshot that was checked. */
  readonly now: LogPoint;
  /** The last stored tile, if it was put from another log. It is rewritten. */
  readonly foreign: number | undefined;
}

/**
 * The tiles after the stored end: the growing one, then new ones, at most `TILES_LIMIT`. A new tile is put before telemetry, so
 * readers know that the tile of telemetry's receipt exists (docs/spec/publishing.md#tiles).
 */
function nextTiles(progress: TileProgress, through: number, source: TileSource, { known }: Planning): Put[] {
  const puts: Put[] = [];
  const first = tileOf(progress.position + 1);
  const last = Math.min(tileOf(Math.max(1, through)), first + TILES_LIMIT - 1);
  if (through <= progress.position) return puts;
  for (let tile = first; tile <= last; tile++) {
    const key = observationTileKey(source.installation.id, source.log, tile);
    // Damaged or missing at the end.
    const faulty = known.objects.get(key);
    const grows = tile === first && progress.position >= tileBounds(tile).first;
    const phase = phaseOf(tile, { first, last, grows: grows && faulty === undefined });
    puts.push({
      ...tilePut(tile, Math.min(through, tileBounds(tile).last), phase, source),
      why: faulty !== undefined ? WAS_DAMAGED : grows ? "grew" : "new",
      action: grows || faulty !== undefined ? "updated" : "created",
      replaces: grows || tile === source.foreign ? progress.tag : (faulty?.tag ?? null),
      after: phase === "last-tile" ? puts.map((put) => put.key) : [],
    });
  }
  return puts;
}

function phaseOf(tile: number, { first, last, grows }: { first: number; last: number; grows: boolean }): Phase {
  if (first === last && grows) return "grown-tile";
  if (tile === first) return "first-tile";
  return tile === last ? "last-tile" : "next-tiles";
}

/** A damaged or missing tile below the end. */
function faultyTile(key: string, progress: TileProgress, source: TileSource, { known }: Planning): Put[] {
  const tile = Number(key.slice(key.lastIndexOf("/") + 1));
  const { first, last } = tileBounds(tile);
  if (first > progress.position) return [];
  const put = tilePut(tile, Math.min(last, progress.position), "next-tiles", source);
  return [{ ...put, why: WAS_DAMAGED, action: "updated", replaces: known.objects.get(key)?.tag ?? null, after: [] }];
}

type TilePut = Omit<Put, "why" | "action" | "replaces" | "after">;

/**
 * The receipts of a tile up to a position. Receipts never change, so they are read at the put, unless another ledger was restored
 * in place since the check.
 */
function tilePut(tile: number, through: number, phase: Phase, { installation, log, at, now }: TileSource): TilePut {
  const { id } = installation;
  const key = observationTileKey(id, log, tile);
  return {
    key,
    resource: "observations",
    phase,
    status: 200,
    etag: null,
    isFromFacts: true,
    isContentEnough: true,
    object({ epoch, writer }, snapshot) {
      const read = snapshot(({ ledger }) =>
        ledger !== undefined && contains(ledger, now) ? grownTile(ledger, installation, tile, through) : undefined,
      );
      if (read?.position !== through) return undefined;
      const sourceVersion = { at, log, ...now, position: through };
      return {
        body: read.body,
        contentType: TILE_TYPE,
        metadata: encodeWriterMetadata({ epoch, writer, sourceVersion }),
      };
    },
    confirmed(known, tag) {
      known.tiles.rememberRewritten(key);
      const reached = known.tiles.progress(id);
      // Tiles in between are put concurrently, so only the first and the last one move the stored end.
      const isNext = phase !== "next-tiles" && (reached === undefined || through >= reached.position);
      const isNewest = reached !== undefined && tileOf(Math.max(1, reached.position)) === tile;
      if (isNext || isNewest) known.tiles.rememberProgress(id, { log, position: through, tag, point: now });
    },
    conflicted: (known) => known.tiles.forgetProgress(id),
  };
}

export interface ObservationTileBody {
  readonly body: Buffer;
  /** Position of the last receipt. */
  readonly position: number;
}

/** Undefined if the ledger has no receipt in it. */
export function observationTile(
  ledger: ReadOnlyDatabase,
  installation: Installation,
  tile: number,
  through = tileBounds(tile).last,
): ObservationTileBody | undefined {
  const { first, last } = tileBounds(tile);
  return linesOf(ledger, installation, first, Math.min(last, through));
}

/** The lines of the receipts from one position to another. */
function linesOf(
  ledger: ReadOnlyDatabase,
  { rowId, id }: Installation,
  from: number,
  to: number,
): ObservationTileBody | undefined {
  const receipts = readReceipts(ledger, rowId, from, to);
  const newest = receipts.at(-1);
  if (newest === undefined) return undefined;
  return { body: Buffer.from(buildObservationTile(id, receipts)), position: newest.position };
}

interface GrowingTile extends ObservationTileBody {
  readonly key: string;
  /** A log that has its receipts. */
  readonly point: LogPoint;
}

/** The last tile that was built: with the next receipt it only gets longer. */
const growing = new WeakMap<ReadOnlyDatabase, GrowingTile>();

/** The same as `observationTile`, but of the last tile that was built only the new receipts are read. */
function grownTile(
  ledger: ReadOnlyDatabase,
  installation: Installation,
  tile: number,
  through: number,
): ObservationTileBody | undefined {
  const key = `${installation.id} ${tile}`;
  const last = growing.get(ledger);
  const grows = last?.key === key && last.position < through && contains(ledger, last.point);
  const rest = grows ? linesOf(ledger, installation, last.position + 1, through) : undefined;
  const built =
    grows && rest !== undefined
      ? { body: Buffer.concat([last.body, Buffer.from("\n"), rest.body]), position: rest.position }
      : observationTile(ledger, installation, tile, through);
  if (built !== undefined) growing.set(ledger, { ...built, key, point: logPoint(ledger) });
  return built;
}
