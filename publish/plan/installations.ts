/**
 * Plans the observations and the telemetry of the installations (docs/spec/publishing.md#tiles), and the index that lists
 * them. Positions are dense, so a position gives its tile. A step plans the installations in the order of their rows, and
 * the configured one first.
 */
import { INSTALLATIONS_LIMIT } from "../../src/http/installations.ts";
import { readReceipts } from "../../src/ledger/read/receipts.ts";
import {
  changedInstallations,
  type Installation,
  installationRowId,
  lastInstallationRowId,
  listInstallations,
  readWatermarks,
} from "../../src/ledger/watermarks.ts";
import type { StoreObject, StoreTag } from "../../src/object-store/object-store.ts";
import { buildObservationTile, tileBounds } from "../../src/resources/observations/build.ts";
import { indexPublication } from "../../src/resources/observations/publication.ts";
import { observationsKey, observationTileKey, tileOf } from "../../src/resources/observations/route.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { telemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { installationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { isFileError } from "../../src/sqlite/sqlite-failure.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { type Head, LEFT_LIMIT } from "../head/head.ts";
import type { Put } from "../put.ts";
import { failedRow, type ReportRow } from "../report.ts";
import { futureOf, responseObject } from "./successors.ts";

/** One line of JSON per item. */
export const TILE_TYPE = "application/x-ndjson; charset=utf-8";
/** At most so many tiles and installations per step, so that a first publish of a long history needs little memory. */
const TILES_LIMIT = 64;
const INSTALLATIONS_PER_STEP = 500;
/** An installation that failed is tried again after this time (ms). */
const AFTER_FAILURE_MS = 30_000;

/** How far an installation is stored, as this process has put it. */
export interface Finished {
  /** Its entries below this size of the log are stored. */
  readonly size: number;
  /** The position of its last stored receipt. */
  readonly position: number;
  /** Epoch ms of the put; 0 if nothing was put. */
  readonly putAt: number;
}

/** The memory of the installations. If it is lost, objects are read before they are put. */
interface InstallationMemory {
  /** By row id. */
  readonly finished: ReadonlyMap<number, Finished>;
  readonly tags: ReadonlyMap<string, StoreTag>;
  /** By id: when (epoch ms) an installation that failed is tried again. */
  readonly retries: ReadonlyMap<string, number>;
}

export interface InstallationPlanning {
  readonly snapshot: Snapshot;
  readonly head: Head;
  readonly memory: InstallationMemory;
  readonly configured: string;
  /** Epoch ms. */
  readonly at: number;
  /** Entries of the ledger's log. */
  readonly size: number;
  /** Minimum time between two puts of one key (ms). */
  readonly minimumPutInterval: number;
  /** Telemetry of the configured installation is put, so its tile must be there, whatever its pace. */
  readonly isConfiguredUrgent: boolean;
}

export interface InstallationPlan {
  readonly puts: readonly Put[];
  /** The installations that are finished once their puts are done, by row id. */
  readonly finished: ReadonlyMap<number, Finished>;
  /** The ids of those that have puts, by key of the put. */
  readonly owners: ReadonlyMap<string, string>;
  readonly unfinished: Omit<Head["unfinished"], "keys">;
  /** All observations of the configured installation are stored after this step, or wait for their pace. */
  readonly isConfiguredWhole: boolean;
  readonly isConfiguredWaiting: boolean;
  /** The next step has more. */
  readonly hasMore: boolean;
  /** All installations up to this row are stored after this step. */
  readonly through: number;
  /** Epoch ms at which an installation that waits may be put. */
  readonly wakeAt: number | undefined;
  readonly failed: readonly ReportRow[];
  /** Ids to try again later, with the instant (epoch ms). */
  readonly retries: ReadonlyMap<string, number>;
}

/** An installation with entries that may not be stored. */
interface Candidate extends Installation {
  /** The position up to which its observations are stored. */
  readonly stored: number;
}

export function planInstallations(planning: InstallationPlanning): InstallationPlan {
  const { snapshot, head, memory, configured, at, size, minimumPutInterval, isConfiguredUrgent } = planning;
  const { ledger } = snapshot;
  const { unfinished } = head;
  const step = new Step(planning);
  if (ledger === undefined) return step.plan(unfinished, 0, true);
  const until = unfinished.through === 0 ? size : unfinished.until;
  const isRetried = (id: string) => (memory.retries.get(id) ?? 0) <= at;
  const left = unfinished.left.flatMap(([id, stored]): Candidate[] => {
    const rowId = installationRowId(ledger, id);
    return rowId === undefined ? [] : [{ rowId, id, stored }];
  });
  for (const one of left) {
    if (isRetried(one.id)) step.add(ledger, one);
    else step.leave(one);
  }
  const leftRows = new Set(left.map(({ rowId }) => rowId));
  const rows = changedInstallations(ledger, unfinished.since, unfinished.through, configured);
  rows.sort((one, other) => Number(other.id === configured) - Number(one.id === configured));
  let through = unfinished.through;
  let since = until;
  for (const { rowId, id, first, last } of rows) {
    if (rowId > INSTALLATIONS_LIMIT) continue;
    const done = memory.finished.get(rowId);
    // Without a receipt, telemetry says so, and is put once.
    const isDue = first !== null || rowId > head.listed || unfinished.since === 0;
    if (isDue && !leftRows.has(rowId) && (done === undefined || done.size <= last)) {
      const waitsUntil = (done?.putAt ?? Number.NEGATIVE_INFINITY) + minimumPutInterval;
      const stored = Math.max(done?.position ?? 0, first === null ? readWatermarks(ledger, rowId).receipt : first - 1);
      const isWaiting = minimumPutInterval > 0 && waitsUntil > at && !(id === configured && isConfiguredUrgent);
      if (id !== configured && step.isFull)
        return step.plan({ since: unfinished.since, until, through, left: step.left }, through, false);
      if (isWaiting) {
        step.wait(id, waitsUntil);
        since = Math.min(since, done?.size ?? unfinished.since);
      } else step.add(ledger, { rowId, id, stored });
    }
    if (id !== configured) through = rowId;
  }
  const listed = Math.min(INSTALLATIONS_LIMIT, lastInstallationRowId(ledger));
  // Entries that arrived during this pass need another pass.
  return step.plan({ since, until: 0, through: 0, left: step.left }, listed, until === size);
}

class Step {
  readonly #planning: InstallationPlanning;
  readonly #puts: Put[] = [];
  readonly #finished = new Map<number, Finished>();
  readonly #owners = new Map<string, string>();
  readonly #failed: ReportRow[] = [];
  readonly #retries = new Map<string, number>();
  readonly left: [string, number][] = [];
  #tiles = 0;
  #installations = 0;
  #wakeAt: number | undefined;
  #isConfiguredWhole = true;
  #isConfiguredWaiting = false;
  #hasMoreTiles = false;

  constructor(planning: InstallationPlanning) {
    this.#planning = planning;
  }

  get isFull(): boolean {
    return (
      this.#tiles >= TILES_LIMIT ||
      this.#installations >= INSTALLATIONS_PER_STEP ||
      // One more may fail.
      this.left.length >= LEFT_LIMIT
    );
  }

  wake(at: number): void {
    this.#wakeAt = Math.min(this.#wakeAt ?? at, at);
  }

  /** The installation was put a short time ago. */
  wait(id: string, until: number): void {
    this.wake(until);
    if (id === this.#planning.configured) this.#isConfiguredWaiting = true;
  }

  leave({ id, stored }: Candidate): void {
    this.left.push([id, stored]);
    this.wake(this.#planning.memory.retries.get(id) ?? 0);
  }

  /** Plans the observations after `stored`, and the telemetry if they end in this step. */
  add(ledger: ReadOnlyDatabase, candidate: Candidate): void {
    const { configured, at, size } = this.#planning;
    const { rowId, id, stored } = candidate;
    const newest = readWatermarks(ledger, rowId).receipt;
    let planned = { key: observationsKey(id), resource: "observations" } as Pick<ReportRow, "key" | "resource">;
    try {
      const room = Math.max(0, TILES_LIMIT - this.#tiles);
      const last = Math.min(tileOf(Math.max(1, newest)), tileOf(stored + 1) + room - 1);
      const through = Math.min(newest, tileBounds(last).last);
      const puts = through > stored ? this.#tilePuts(ledger, candidate, through) : [];
      const isWhole = Math.max(through, stored) >= newest;
      planned = { key: installationTelemetryKey(id), resource: "telemetry" };
      if (isWhole && id !== configured) puts.push(this.#telemetryPut(candidate, puts));
      this.#tiles += puts.filter(({ wave }) => wave === "observations").length;
      this.#installations++;
      this.#puts.push(...puts);
      for (const { key } of puts) this.#owners.set(key, id);
      if (isWhole) this.#finished.set(rowId, { size, position: newest, putAt: puts.length > 0 ? at : 0 });
      else {
        this.left.push([id, Math.max(through, stored)]);
        this.#hasMoreTiles = true;
        if (id === configured) this.#isConfiguredWhole = false;
      }
    } catch (error) {
      if (isFileError(error)) throw error;
      this.left.push([id, stored]);
      this.#retries.set(id, at + AFTER_FAILURE_MS);
      this.wake(at + AFTER_FAILURE_MS);
      this.#failed.push(failedRow(planned, error));
    }
  }

  plan(unfinished: Omit<Head["unfinished"], "keys">, through: number, isPassDone: boolean): InstallationPlan {
    return {
      puts: this.#puts,
      finished: this.#finished,
      owners: this.#owners,
      unfinished,
      isConfiguredWhole: this.#isConfiguredWhole,
      isConfiguredWaiting: this.#isConfiguredWaiting,
      hasMore: !isPassDone || this.#hasMoreTiles,
      through,
      wakeAt: this.#wakeAt,
      failed: this.#failed,
      retries: this.#retries,
    };
  }

  #tilePuts(ledger: ReadOnlyDatabase, { rowId, id, stored }: Candidate, through: number): Put[] {
    const puts: Put[] = [];
    for (let tile = tileOf(stored + 1); tile <= tileOf(through); tile++) {
      const body = observationTile(ledger, { rowId, id }, tile, through);
      if (body === undefined) continue;
      const key = observationTileKey(id, tile);
      const isNew = stored < tileBounds(tile).first;
      const replaces = this.#planning.memory.tags.get(key) ?? (isNew ? null : undefined);
      puts.push({
        key,
        resource: "observations",
        wave: "observations",
        object: tileObject(body),
        replaces,
        why: isNew ? "new" : "grew",
        action: isNew ? "created" : "updated",
        status: 200,
        etag: null,
      });
    }
    return puts;
  }

  #telemetryPut({ rowId, id }: Candidate, tiles: readonly Put[]): Put {
    const { snapshot, at, head, memory } = this.#planning;
    const key = installationTelemetryKey(id);
    const publication = telemetryPublication(id, false);
    const future = futureOf((instant) => publication.build(snapshot, instant), at);
    const position = snapshot.ledger && readWatermarks(snapshot.ledger, rowId).receipt;
    const isNew = rowId > head.listed;
    return {
      key,
      resource: "telemetry",
      wave: "responses",
      object: responseObject(future, at, position).object,
      replaces: memory.tags.get(key) ?? (isNew ? null : undefined),
      after: tiles.map((put) => put.key),
      why: isNew ? "new" : "changed",
      action: isNew ? "created" : "updated",
      status: future.built.status,
      etag: future.built.headers.etag ?? null,
    };
  }
}

export function tileObject(body: Uint8Array): StoreObject {
  return { body, contentType: TILE_TYPE, metadata: {} };
}

/** Returns the lines of a tile's receipts up to a position; undefined if the ledger has none. */
export function observationTile(
  ledger: ReadOnlyDatabase,
  { rowId, id }: Installation,
  tile: number,
  through = Number.POSITIVE_INFINITY,
): Buffer | undefined {
  const { first, last } = tileBounds(tile);
  const receipts = readReceipts(ledger, rowId, first, Math.min(last, through));
  return receipts.length === 0 ? undefined : Buffer.from(buildObservationTile(id, receipts));
}

/** The index lists the configured installation, and every other one up to a row (docs/spec/publishing.md#index). */
export function indexOf({ ledger, installationId: configured }: Snapshot, listed: number) {
  const rows = ledger === undefined ? [] : listInstallations(ledger).filter(({ rowId }) => rowId <= listed);
  return indexPublication({ configured, installations: new Set([configured, ...rows.map(({ id }) => id)]) });
}
