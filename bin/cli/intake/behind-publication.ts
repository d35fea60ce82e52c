/**
 * Compares the ledger with the objects published from it, before facts are ingested (docs/spec/intake.md#behind). If a
 * new fact in a restored or new ledger gets the position of a missing fact, the ledger has forked for good.
 */
import { existsSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { findLease } from "../../../publish/lease/lease-record.ts";
import { installationIn, ledgerRegression } from "../../../publish/plan/source-version.ts";
import { stateFile } from "../../../publish/state-directory.ts";
import { type InstallationIndex, parseIndex } from "../../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../../src/http/keys.ts";
import { openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import { hasBeenAt } from "../../../src/ledger/read/changes.ts";
import { type ObjectStore, StoreDamaged, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import type { SourceVersion } from "../../../src/object-store/stored-response.ts";
import { MODULES_KEY } from "../../../src/resources/modules/route.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { Failure } from "../../../src/values/failure.ts";
import { newDirectoryOf, openConfiguredStore, readParsed, readResponse } from "../configured-store.ts";
import { type Warning, warn } from "../messages.ts";
import type { Settings } from "../settings/settings.ts";

/** The maximum number of other installations to compare if the lease does not cover all of them. */
const COMPARED_LIMIT = 64;

const MISSING_FIRST =
  "Ingest the missing facts first, in their original order, with --yes. A new fact in their place forks the ledger for good. " +
  "docs/operating.md#backup-and-restore has the steps.";
const RESTORE_IT =
  "Restore the ledger, or name it with --ledger. To begin a new one on purpose, add --yes; what is published stays until " +
  "`noonmark publish --once --new-history ID`.";

/**
 * Throws `Failure` ledger_behind, or warns if `yes`. If the store does not respond, it warns, and throws only for a new
 * ledger on a host that has published before.
 */
export async function refuseBehind(settings: Settings, yes: boolean): Promise<void> {
  const found = await behindPublication(settings, warn);
  if (found === undefined) return;
  // The ledger has already forked, and rejecting more facts does not undo that. The publisher reports what to do.
  if (!yes && found.code === "ledger_behind") throw found;
  warn(found);
}

/** Returns `Failure` ledger_behind or ledger_forked, if any. Calls `onUnasked` if the store cannot be read. */
export async function behindPublication(
  settings: Settings,
  onUnasked: (warning: Warning) => void,
): Promise<Failure | undefined> {
  const isNew = (statSync(settings.ledger, { throwIfNoEntry: false })?.size ?? 0) === 0;
  try {
    // Opening fails if a file is in place of the directory, even if there is no store yet.
    const store = await openConfiguredStore(settings, { write: false });
    if (newDirectoryOf(settings) !== undefined) return undefined;
    const index = await readParsed(store, INSTALLATIONS_KEY, parseIndex);
    if (index === undefined) return undefined;
    if (!isNew) return await behindStore(settings.ledger, store, index);
    return behind(
      `the ledger ${settings.ledger} is new, and ${store.name} already has a publication of ${index.configured}`,
      RESTORE_IT,
    );
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    if (isNew && existsSync(stateFile(settings.state))) {
      const why = `${error.code}: ${error.message}`;
      return behind(`the ledger ${settings.ledger} is new, this machine has published before, and ${why}`, RESTORE_IT);
    }
    onUnasked({
      code: "store_not_compared",
      message: `the ledger cannot be compared with the published objects: ${error.code}: ${error.message}`,
    });
    return undefined;
  }
}

function behind(message: string, hint: string): Failure {
  return new Failure("ledger_behind", message, { hint });
}

function isStoreFailure(error: unknown): error is StoreUnavailable | Failure {
  return error instanceof StoreUnavailable || (error instanceof Failure && error.isAbout("store"));
}

async function behindStore(path: string, store: ObjectStore, index: InstallationIndex): Promise<Failure | undefined> {
  const ledger = openLedgerForReading(path);
  try {
    for await (const [installationId, sourceVersion] of publishedVersions(ledger, store, index)) {
      const fault = readLedger(ledger, (db) =>
        ledgerRegression([sourceVersion], { ledger: installationIn(db, installationId), installationId }),
      );
      if (fault?.code === "ledger_behind") return behind(fault.message, MISSING_FIRST);
      if (fault !== undefined) return fault;
    }
    return undefined;
  } finally {
    ledger.close();
  }
}

/** Yields the source versions of the configured installation, then of others if the lease does not cover them. */
async function* publishedVersions(
  ledger: Database,
  store: ObjectStore,
  index: InstallationIndex,
): AsyncGenerator<[string, SourceVersion]> {
  for (const key of [TELEMETRY_KEY, MODULES_KEY, PROCESS_KEY]) yield* versionsAt(store, key, index.configured);
  const point = (await findLease(store))?.record?.checkpoint;
  if (point !== null && point !== undefined && readLedger(ledger, (db) => hasBeenAt(db, point))) return;
  const others = [...index.histories.keys()].filter((id) => id !== index.configured);
  for (const id of others.slice(0, COMPARED_LIMIT)) yield* versionsAt(store, installationTelemetryKey(id), id);
}

async function* versionsAt(store: ObjectStore, key: string, id: string): AsyncGenerator<[string, SourceVersion]> {
  try {
    const response = await readResponse(store, key);
    if (response !== undefined) yield [id, response.writerMetadata.sourceVersion];
  } catch (error) {
    // A damaged object has no source version; other objects are still compared.
    if (!(error instanceof StoreDamaged)) throw error;
  }
}
