/**
 * Compares the ledger with the published log, before facts are ingested (docs/spec/intake.md#behind). If a new fact in
 * a restored or new ledger gets the place of a missing one, the ledger has forked for good. A publisher keeps the size
 * and the root of the published log in its state, so the comparison needs no network.
 */
import { existsSync } from "node:fs";
import { readHead } from "../../../publish/head/head.ts";
import { ledgerRegression } from "../../../publish/plan/sources.ts";
import { readPublisherRecord } from "../../../publish/state-directory.ts";
import type { LogPoint } from "../../../src/ledger/log.ts";
import { openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { newDirectoryOf, openConfiguredStore } from "../configured-store.ts";
import { reported } from "../failures.ts";
import { type Warning, warn } from "../messages.ts";
import type { Settings } from "../settings/settings.ts";

const MISSING_FIRST =
  "Restore the missing facts from the store first: noonmark ledger restore. A new fact in their place forks the ledger for good. " +
  "docs/operating.md#backup-and-restore has the steps.";

/** Throws `Failure` ledger_behind, or warns if `yes`. If the store does not respond, it warns. */
export async function refuseBehind(
  settings: Settings,
  yes: boolean,
  onWarning: (warning: Warning) => void = warn,
): Promise<void> {
  const found = await behindPublication(settings, onWarning);
  if (found === undefined) return;
  // The ledger has already forked, and rejecting more facts does not undo that. The publisher reports what to do.
  if (!yes && found.code === "ledger_behind") throw found;
  onWarning(reported(found));
}

/**
 * Returns `Failure` ledger_behind or ledger_forked, if any. Calls `onUnasked` with the reason if the store cannot be
 * read.
 */
export async function behindPublication(
  settings: Settings,
  onUnasked: (warning: Warning, reason: StoreUnavailable | Failure) => void,
): Promise<Failure | undefined> {
  const kept = readPublisherRecord(settings.state)?.log ?? undefined;
  const stored = await readPublishedLog(settings, (reason) =>
    onUnasked(notCompared(kept, `${reason.code}: ${reason.message}`), reason),
  );
  for (const point of [kept, stored].filter((one) => one !== undefined)) {
    const fault = regressionOf(settings.ledger, point);
    if (fault?.code === "ledger_behind") {
      return new Failure("ledger_behind", fault.message, { hint: MISSING_FIRST });
    }
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notCompared(kept: LogPoint | undefined, reason: string): Warning {
  const how =
    kept === undefined
      ? "cannot be compared with the published log"
      : "was compared with what this machine has published, and not with the store";
  const hint = "If facts were published before and this ledger is new, restore it first: noonmark ledger restore";
  return {
    code: "store_not_compared",
    message: `the ledger ${how}: ${reason}`,
    hint: kept === undefined ? hint : undefined,
  };
}

function regressionOf(path: string, published: LogPoint): Failure | undefined {
  if (!existsSync(path)) return ledgerRegression(undefined, published);
  const ledger = openLedgerForReading(path);
  try {
    return readLedger(ledger, (db) => ledgerRegression(db, published));
  } finally {
    ledger.close();
  }
}

async function readPublishedLog(
  settings: Settings,
  onUnread: (reason: StoreUnavailable | Failure) => void,
): Promise<LogPoint | undefined> {
  try {
    // Opening fails if a file is in place of the directory, even if there is no store yet.
    const store = await openConfiguredStore(settings, { write: false });
    if (newDirectoryOf(settings) !== undefined) return undefined;
    return (await readHead(store))?.head?.log;
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    onUnread(error);
    return undefined;
  }
}

function isStoreFailure(error: unknown): error is StoreUnavailable | Failure {
  return (
    error instanceof StoreUnavailable || (error instanceof Failure && (error.isAbout("store") || error.isAbout("log")))
  );
}
