/**
 * Checks stored objects for damage, one at a time, in rounds over everything that `known` has. A damaged object is marked in
 * `known`, so that the next plan rewrites it. Nothing is written here.
 */
import { INSTALLATIONS_LIMIT } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY, PUBLIC_LOGS } from "../src/http/keys.ts";
import { installationRowId, listInstallations } from "../src/ledger/watermarks.ts";
import { LogError } from "../src/log/log-error.ts";
import { readOrDamaged, StoreDamaged, type StoredObject } from "../src/object-store/object-store.ts";
import { decodeWriterMetadata } from "../src/object-store/stored-response.ts";
import { tileBounds } from "../src/resources/observations/build.ts";
import { observationTileKey } from "../src/resources/observations/route.ts";
import type { Snapshots } from "../src/resources/snapshot.ts";
import { unknownTelemetryPublication } from "../src/resources/telemetry/publication.ts";
import { installationTelemetryKey, parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { eachLimited } from "./each-limited.ts";
import { type Learning, learn } from "./learn.ts";
import type { Responses } from "./plan/check.ts";
import { type CommittedFile, committedFiles } from "./plan/log.ts";
import { type ObservationTileBody, observationTile } from "./plan/observations.ts";
import type { Planning, StoreLookup } from "./plan/plan.ts";
import { isNamedByContent } from "./stored-object.ts";

export interface Scrubbing extends Planning, Responses, Learning {
  readonly sources: Snapshots;
}

type Item =
  | { readonly is: "object"; readonly key: string }
  /** An installation about which nothing is known. */
  | { readonly is: "unplanned"; readonly id: string }
  | { readonly is: "tile"; readonly installationId: string; readonly tile: number }
  | { readonly is: "log-file"; readonly file: CommittedFile }
  | { readonly is: "named"; readonly prefix: string; readonly name: string };

export class Scrub {
  #items: Iterator<Item> | undefined;
  #sharedChecks = 0;

  /** Checks the next object. Throws the store's own errors. */
  async step(scrubbing: Scrubbing): Promise<void> {
    for (const isNew of [false, true]) {
      if (isNew || this.#items === undefined) this.#items = itemsOf(scrubbing)[Symbol.iterator]();
      const { done, value } = this.#items.next();
      if (done !== true) return check(value, scrubbing);
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
}

/** Checks every tile and every file of the log, for `--force`. */
export async function checkTiles(scrubbing: Scrubbing): Promise<void> {
  const items = [...itemsOf(scrubbing)].filter(({ is }) => is === "tile" || is === "named" || is === "log-file");
  await eachLimited(items, scrubbing.concurrency, (item) => check(item, scrubbing));
}

/**
 * Yields everything that `known` has at the start of the round. After a lost state more may be stored: installations
 * that no plan has needed are looked up too.
 */
function* itemsOf({ known, configured, sources, signers }: Scrubbing): Iterable<Item> {
  for (const { key } of known.objects.all()) yield { is: "object", key };
  const ofLedger = sources.snapshot(({ ledger }) => (ledger === undefined ? [] : listInstallations(ledger)));
  for (const { id } of ofLedger.filter(({ rowId }) => rowId <= INSTALLATIONS_LIMIT)) {
    if (id !== configured && known.objects.floor(installationTelemetryKey(id)) === undefined)
      yield { is: "unplanned", id };
  }
  for (const [installationId, { position }] of known.tiles.everyProgress()) {
    for (let tile = 0; tileBounds(tile).first <= position; tile++) yield { is: "tile", installationId, tile };
  }
  for (const file of committedFiles(known, signers)) yield { is: "log-file", file };
  for (const prefix of known.listings.prefixes()) {
    // Of partial files only the newest are read, and these are files of the committed log.
    if (prefix.startsWith(PUBLIC_LOGS)) continue;
    for (const name of known.listings.names(prefix)?.keys() ?? []) yield { is: "named", prefix, name };
  }
}

async function check(item: Item, scrubbing: Scrubbing): Promise<void> {
  const { due, configured, at } = scrubbing;
  switch (item.is) {
    case "unplanned":
      // Its plan reads its stored objects.
      if (!due.isLedgerRefused(configured)) due.recheck(installationTelemetryKey(item.id), at);
      return;
    case "tile":
      return checkTile(item.installationId, item.tile, scrubbing);
    case "log-file":
      return checkLogFile(item.file, scrubbing);
    case "named":
      return checkNamed(item.prefix, item.name, scrubbing);
    case "object":
      return checkObject(item.key, scrubbing);
  }
}

/** Makes the next cycle plan the object if it is not the one that was put. */
async function checkObject(key: string, scrubbing: Scrubbing): Promise<void> {
  const { known, due, sources, at } = scrubbing;
  const before = known.objects.get(key);
  const lookup: StoreLookup = key === INSTALLATIONS_KEY ? { is: "index" } : { is: "object", key };
  await learn([lookup], scrubbing);
  if (known.objects.get(key)?.tag === before?.tag && known.objects.get(key)?.condition === "stored") return;
  const of = parseInstallationTelemetryKey(key);
  const isPlanned = sources.snapshot(
    ({ ledger }) => of === undefined || (ledger !== undefined && installationRowId(ledger, of) !== undefined),
  );
  if (isPlanned) due.recheck(key, at);
}

/** Compares an observation tile with the ledger. A tile of other receipts is damaged, because the ledger has the published log. */
async function checkTile(id: string, tile: number, { known, due, sources, store, at }: Scrubbing): Promise<void> {
  const progress = known.tiles.progress(id);
  if (progress === undefined || tileBounds(tile).first > progress.position) return;
  const key = observationTileKey(id, progress.log, tile);
  const through = Math.min(tileBounds(tile).last, progress.position);
  const expected = sources.snapshot(({ ledger }) => {
    const rowId = ledger && installationRowId(ledger, id);
    return ledger === undefined || rowId === undefined
      ? undefined
      : observationTile(ledger, { rowId, id }, tile, through);
  });
  const found = await readOrDamaged(store, key);
  // The tile has grown meanwhile, or the ledger does not reach so far. `ledgerRegression` decides about that.
  if (expected?.position !== through || known.tiles.progress(id) !== progress) return;
  if (found !== undefined && !(found instanceof StoreDamaged) && isAsExpected(found, expected)) return;
  known.tiles.rememberFaulty(key, found?.tag ?? null);
  due.replan(id, at);
}

/** Compares a file of the log with the ledger. */
async function checkLogFile(
  { key, expected, contentOf, isCurrent }: CommittedFile,
  { known, due, sources, store, at }: Scrubbing,
): Promise<void> {
  const content = sources.snapshot(({ ledger }) => ledger && expected(ledger));
  const found = await readOrDamaged(store, key);
  if (content === undefined || !isCurrent()) return;
  if (found !== undefined && !(found instanceof StoreDamaged) && beginsWith(content, () => contentOf(found.body)))
    return;
  known.tiles.rememberFaulty(key, found?.tag ?? null);
  due.recheck(key, at);
}

/** A bundle of a private log may have more entries than the checkpoint commits. */
function beginsWith(expected: Uint8Array, stored: () => Uint8Array): boolean {
  try {
    return Buffer.compare(stored().subarray(0, expected.length), expected) === 0;
  } catch (error) {
    if (error instanceof LogError) return false;
    throw error;
  }
}

function isAsExpected({ body, metadata }: StoredObject, expected: ObservationTileBody): boolean {
  try {
    const { position } = decodeWriterMetadata(metadata).sourceVersion;
    return position === expected.position && Buffer.compare(body, expected.body) === 0;
  } catch {
    return false;
  }
}

/** An activity tile must have the hash in its name. For an asset the store's checksum is enough. */
async function checkNamed(
  prefix: string,
  name: string,
  { known, publications, due, store, at }: Scrubbing,
): Promise<void> {
  const key = prefix + name;
  const found = await readOrDamaged(store, key);
  const isDamaged = found === undefined || found instanceof StoreDamaged || !isNamedByContent(key, name, found);
  const unnamedSince = known.listings.names(prefix)?.get(name);
  if (!isDamaged || unnamedSince === undefined) return;
  // No object refers to it and nobody can read it, so it may be deleted at once.
  if (unnamedSince !== null) {
    known.listings.setName(prefix, name, 0);
    return;
  }
  known.listings.deleteName(prefix, name);
  known.objects.rememberFaulty(key, found?.tag ?? null);
  known.listings.setVersion(prefix, "");
  for (const { key: head, tileSet } of publications) if (tileSet?.prefix === prefix) due.recheck(head, at);
}
