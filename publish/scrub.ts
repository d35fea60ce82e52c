/**
 * Checks stored objects for damage, one at a time, in rounds over everything that `known` has. A damaged object is marked in
 * `known`, so that the next plan rewrites it. Nothing is written here.
 */
import { INSTALLATIONS_LIMIT } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { installationRowId, listInstallations } from "../src/ledger/watermarks.ts";
import { readOrDamaged, StoreDamaged, type StoredObject } from "../src/object-store/object-store.ts";
import { decodeWriterMetadata } from "../src/object-store/stored-response.ts";
import { tileBounds } from "../src/resources/observations/build.ts";
import { observationTileKey, parseObservationTileKey } from "../src/resources/observations/route.ts";
import type { Snapshots } from "../src/resources/snapshot.ts";
import { unknownTelemetryPublication } from "../src/resources/telemetry/publication.ts";
import { installationTelemetryKey, parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { Failure } from "../src/values/failure.ts";
import { type Learning, learn } from "./learn.ts";
import { type ObservationTileBody, observationTile } from "./plan/observations.ts";
import type { Unknown } from "./plan/plan.ts";
import type { ScopePlanning } from "./plan/scopes.ts";
import { failedRow, type ReportRow } from "./report.ts";
import { isNamedByContent, receiptsIn } from "./stored-object.ts";

export interface Scrubbing extends ScopePlanning {
  readonly sources: Snapshots;
  readonly target: Learning;
}

type Item =
  | { readonly is: "object"; readonly key: string }
  /** An installation about which nothing is known. */
  | { readonly is: "unplanned"; readonly id: string }
  | { readonly is: "tile"; readonly installationId: string; readonly tile: number }
  | { readonly is: "named"; readonly prefix: string; readonly name: string };

export class Scrub {
  #items: Iterator<Item> | undefined;
  #sharedChecks = 0;

  /** Objects of this round that cannot be rewritten, by key. */
  #faults = new Map<string, ReportRow>();

  /** Checks the next object. Throws the store's own errors. */
  async step(scrubbing: Scrubbing): Promise<void> {
    for (const isNew of [false, true]) {
      if (isNew || this.#items === undefined) {
        this.#items = itemsOf(scrubbing)[Symbol.iterator]();
        this.#faults = new Map();
      }
      const { done, value } = this.#items.next();
      if (done === true) continue;
      const fault = await checked(value, scrubbing);
      if (fault !== undefined) this.#faults.set(fault.key, fault);
      return;
    }
  }

  /**
   * Checks the index, and the next of the template and the constants. Without one of them many responses are 503, so no round may
   * delay them. Throws the store's own errors.
   */
  async checkShared(scrubbing: Scrubbing): Promise<void> {
    await checkObject(INSTALLATIONS_KEY, scrubbing);
    const constants = scrubbing.publications.filter(({ sources }) => sources === undefined);
    const keys = [unknownTelemetryPublication.key, ...constants.map(({ key }) => key)];
    await checkObject(keys[this.#sharedChecks % keys.length] ?? unknownTelemetryPublication.key, scrubbing);
    this.#sharedChecks++;
  }

  /** Objects of this round that cannot be rewritten. */
  faults(): Iterable<ReportRow> {
    return this.#faults.values();
  }
}

/** Checks every tile, for `--force` and `fsck --repair`. Returns the tiles that cannot be rewritten. */
export async function checkTiles(scrubbing: Scrubbing): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  const items = [...itemsOf(scrubbing)].filter(({ is }) => is === "tile" || is === "named").values();
  const work = async () => {
    for (const item of items) {
      const row = await checked(item, scrubbing);
      if (row !== undefined) rows.push(row);
    }
  };
  await Promise.all(Array.from({ length: scrubbing.target.concurrency }, work));
  return rows;
}

/**
 * Yields everything that `known` has at the start of the round. After a lost state more may be stored: installations
 * that no plan has needed are looked up too.
 */
function* itemsOf({ known, selected, configured, sources }: Scrubbing): Iterable<Item> {
  for (const { key } of known.all()) yield { is: "object", key };
  const ofLedger = sources.snapshot(({ ledger }) => (ledger === undefined ? [] : listInstallations(ledger)));
  for (const { id } of ofLedger.filter(({ rowId }) => rowId <= INSTALLATIONS_LIMIT)) {
    if (id !== configured && known.floor(installationTelemetryKey(id)) === undefined) yield { is: "unplanned", id };
  }
  if (selected("observations")) {
    for (const [installationId, { position }] of known.everyProgress()) {
      for (let tile = 0; tileBounds(tile).first <= position; tile++) yield { is: "tile", installationId, tile };
    }
  }
  for (const prefix of known.prefixes()) {
    for (const name of known.listing(prefix)?.keys() ?? []) yield { is: "named", prefix, name };
  }
}

async function checked(item: Item, scrubbing: Scrubbing): Promise<ReportRow | undefined> {
  const { due, configured, at } = scrubbing;
  switch (item.is) {
    case "unplanned":
      // Its plan reads its stored objects.
      if (!due.isLedgerRefused(configured)) due.recheck(installationTelemetryKey(item.id), at);
      return undefined;
    case "tile":
      return checkTile(item.installationId, item.tile, scrubbing);
    case "named":
      return checkNamed(item.prefix, item.name, scrubbing);
    case "object":
      await checkObject(item.key, scrubbing);
      return undefined;
  }
}

/** Makes the next cycle plan the object if it is not the one that was put. */
async function checkObject(key: string, { known, due, sources, target, at }: Scrubbing): Promise<void> {
  const before = known.get(key);
  const unknown: Unknown = key === INSTALLATIONS_KEY ? { is: "index" } : { is: "answer", key };
  await learn([unknown], target);
  if (known.get(key)?.tag === before?.tag && known.get(key)?.condition === "stored") return;
  const of = parseInstallationTelemetryKey(key);
  const isPlanned = sources.snapshot(
    ({ ledger }) => of === undefined || (ledger !== undefined && installationRowId(ledger, of) !== undefined),
  );
  if (isPlanned) due.recheck(key, at);
}

/** Compares an observation tile with the ledger. If the tile holds other valid receipts, the ledger has forked. */
async function checkTile(
  id: string,
  tile: number,
  { known, due, sources, target, at }: Scrubbing,
): Promise<ReportRow | undefined> {
  const progress = known.progress(id);
  if (progress === undefined || tileBounds(tile).first > progress.position) return undefined;
  const key = observationTileKey(id, progress.history, tile);
  const through = Math.min(tileBounds(tile).last, progress.position);
  const expected = sources.snapshot(({ ledger }) => {
    const rowId = ledger && installationRowId(ledger, id);
    return ledger === undefined || rowId === undefined
      ? undefined
      : observationTile(ledger, { rowId, id }, tile, through);
  });
  const found = await readOrDamaged(target.store, key);
  // The tile has grown meanwhile, or the ledger does not reach so far. `sourceRegression` decides about that.
  if (expected?.position !== through || known.progress(id) !== progress) return undefined;
  if (found !== undefined && !(found instanceof StoreDamaged)) {
    if (isAsExpected(found, expected)) return undefined;
    if (hasOtherReceipts(key, found, expected)) return failedRow({ key, resource: "observations" }, forkedTile(key));
  }
  known.rememberFaultyTile(key, found?.tag ?? null);
  due.replan(id, at);
  return undefined;
}

function isAsExpected({ body, metadata }: StoredObject, expected: ObservationTileBody): boolean {
  try {
    const { position, telemetryId } = decodeWriterMetadata(metadata).sourceVersion;
    const isVersion = position === expected.position && telemetryId === expected.telemetryId;
    return isVersion && Buffer.compare(body, expected.body) === 0;
  } catch {
    return false;
  }
}

function hasOtherReceipts(key: string, found: StoredObject, { body }: ObservationTileBody): boolean {
  const tile = parseObservationTileKey(key);
  if (tile === undefined || receiptsIn(tile, found) === undefined) return false;
  const ours = body.toString().split("\n");
  const theirs = Buffer.from(found.body).toString().split("\n");
  return theirs.some((line, index) => ours[index] !== undefined && ours[index] !== line);
}

function forkedTile(key: string): Failure {
  return new Failure("ledger_forked", `${key} in the store holds other receipts than the ledger`);
}

/** An activity tile must have the hash in its name. For an asset the store's checksum is enough. */
async function checkNamed(
  prefix: string,
  name: string,
  { known, publications, due, target, at }: Scrubbing,
): Promise<undefined> {
  const key = prefix + name;
  const found = await readOrDamaged(target.store, key);
  const isDamaged = found === undefined || found instanceof StoreDamaged || !isNamedByContent(key, name, found);
  const unnamedSince = known.listing(prefix)?.get(name);
  if (!isDamaged || unnamedSince === undefined) return;
  // No object refers to it and nobody can read it, so it may be deleted at once.
  if (unnamedSince !== null) {
    known.setName(prefix, name, 0);
    return;
  }
  known.deleteName(prefix, name);
  known.rememberFaulty(key, found?.tag ?? null);
  known.setListedVersion(prefix, "");
  for (const { key: head, tileSet } of publications) if (tileSet?.prefix === prefix) due.recheck(head, at);
}
