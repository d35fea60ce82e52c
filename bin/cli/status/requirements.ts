/**
 * Checks what a publisher needs: settings, ledger, state, disks, store, clock and chain. It creates neither a store nor
 * a ledger nor a state.
 */
import { existsSync, statfsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { CLOCK_TOLERANCE_MS, systemClock } from "../../../publish/clock/clock.ts";
import { readHead } from "../../../publish/head/head.ts";
import { logUnconfirmed, openingHead } from "../../../publish/head/take.ts";
import { IN_USE, lockFile, storeOfState } from "../../../publish/state-directory.ts";
import { CHAIN_FILE } from "../../../src/chain/store/schema.ts";
import { isDiskFull } from "../../../src/files/disk-full.ts";
import { missingPermission } from "../../../src/files/missing-permission.ts";
import { packageVersion } from "../../../src/files/package-file.ts";
import { openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import { readNewestReceipt } from "../../../src/ledger/read/receipts.ts";
import { genesisContradiction } from "../../../src/ledger/read/rounds.ts";
import { installationRowId, listInstallations } from "../../../src/ledger/watermarks.ts";
import { provenSkew } from "../../../src/object-store/clock-offset.ts";
import { checkOwn, checkReadable, noStore, STORE_MARK } from "../../../src/object-store/filesystem/prepare.ts";
import { storeLocation } from "../../../src/object-store/location.ts";
import { hasClock, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { PROJECTIONS_FILE } from "../../../src/projections/open.ts";
import { damageOf, sqliteFailure } from "../../../src/sqlite/sqlite-failure.ts";
import { Failure } from "../../../src/values/failure.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { newDirectoryOf, openConfiguredStore } from "../configured-store.ts";
import { FAILURES, hintOf } from "../failures.ts";
import { behindPublication } from "../intake/behind-publication.ts";
import { readLogKey } from "../log-key.ts";
import { judgeSettings } from "../publish/judge-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { examineChain } from "./chain-requirements.ts";
import { badFinding, examined, type Finding, goodFinding } from "./finding.ts";
import { duration } from "./print-publication.ts";

/** Checks everything. `file` is the path of the configuration; `now` returns epoch ms. */
export async function checkRequirements(
  settings: Settings,
  file: string,
  now: () => number,
): Promise<readonly Finding[]> {
  const clock = await examined("clock", () => examineClock(settings, now));
  const isClockWrong = clock.some(({ todo }) => todo !== null);
  // A wrong clock would make a right genesis and a right chain look wrong.
  const judgedAt = isClockWrong ? Number.POSITIVE_INFINITY : now();
  // Together, because a store that does not respond costs each of them its time limit.
  const findings = await Promise.all([
    examined("settings", () => examineSettings(settings, file, judgedAt)),
    examined("ledger", () => examineLedger(settings, now())),
    examined("state", () => examineState(settings)),
    examined("disk", () => examineDisks(settings)),
    examined("store", () => examineStore(settings)),
    clock,
    examined("installation", () => examineOwner(settings)),
    isClockWrong ? [] : examined("chain", () => examineChain(settings, now)),
  ]);
  return findings.flat();
}

/** `now` is in epoch ms. Throws `Failure` if `publish` would reject the settings. */
async function examineSettings(settings: Settings, file: string, now: number): Promise<Finding[]> {
  await judgeSettings(settings, now);
  return [goodFinding("settings", existsSync(file) ? file : `no ${file}; only flags and variables`)];
}

/** The maximum number of installations that a line names. */
const MAX_NAMED = 5;

/** `now` is in epoch ms. Throws `Failure` if the ledger cannot be read. */
async function examineLedger(settings: Settings, now: number): Promise<Finding[]> {
  const { ledger: path, installationId } = settings;
  if (path === "none") return [goodFinding("ledger", "none")];
  const ledger = openLedgerForReading(path);
  try {
    const ids = readLedger(ledger, listInstallations).map(({ id }) => id);
    const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : "";
    const all = ids.length === 0 ? "no installation yet" : `${ids.slice(0, MAX_NAMED).join(", ")}${more}`;
    const behind = await behindPublication(settings, (_, reason) => {
      // A store that does not respond is a finding of another check, which reads none of its objects.
      if (reason.code === "store_unusable") throw reason;
    });
    const finding =
      behind === undefined
        ? goodFinding("ledger", `${path}: ${all}`)
        : badFinding("ledger", `${behind.code}: ${behind.message}`, hintOf(behind));
    return installationId === undefined
      ? [finding]
      : [finding, ...examineInstallation(ledger, settings, installationId, now)];
  } finally {
    ledger.close();
  }
}

function examineInstallation(
  ledger: Database,
  { genesisTimestamp }: Settings,
  installationId: string,
  now: number,
): Finding[] {
  return readLedger(ledger, (db) => {
    const rowId = installationRowId(db, installationId);
    if (rowId === undefined) {
      const todo = "Correct the setting installationId, or ingest that installation's records.";
      return [badFinding("installation", `${installationId} is not in the ledger`, todo)];
    }
    const genesis = genesisTimestamp === undefined ? undefined : BigInt(genesisTimestamp);
    const wrong = genesisContradiction(db, rowId, genesis);
    const newest = readNewestReceipt(db, rowId);
    const receipt =
      newest === undefined
        ? "no receipt yet"
        : `newest receipt ${formatTimestamp(newest.receivedAt)} (${duration((now - newest.receivedAt) / 1000)} ago)`;
    return [
      goodFinding("installation", `${installationId}: ${receipt}`),
      ...(wrong === undefined ? [] : [badFinding("settings", `${wrong.code}: ${wrong.message}`, hintOf(wrong))]),
    ];
  });
}

/** Examines the state directory without creating anything. */
function examineState({ state }: Settings): Finding[] {
  const missing = missingPermission(lockFile(state), "write");
  if (missing !== undefined) return [badFinding("state", missing.says, missing.todo)];
  const there = existsSync(state);
  const chain = join(state, CHAIN_FILE);
  const damaged = [
    ...stateDamage(join(state, PROJECTIONS_FILE), FAILURES.state_damaged[2]),
    ...stateDamage(chain, `Delete ${chain}: the publisher reads the chain again.`),
  ];
  return damaged.length > 0 ? damaged : [goodFinding("state", there ? state : `${state}: publish will make it`)];
}

/** Reads a whole file of the state, if a running publisher does not lock it. */
function stateDamage(path: string, todo: string): Finding[] {
  if (!existsSync(path)) return [];
  try {
    const db = new SqliteDatabase(path, { readonly: true, timeout: 0 });
    try {
      const damage = damageOf(db);
      return damage === undefined ? [] : [badFinding("state", `${path} is damaged: ${damage}`, todo)];
    } finally {
      db.close();
    }
  } catch (error) {
    const failure = sqliteFailure(error, path, "state", "read");
    if (!(failure instanceof Failure)) throw error;
    // A lock shows a running publisher, and the disk has a finding of its own.
    if (failure.code === "state_locked" || isDiskFull(failure)) return [];
    return [badFinding("state", failure.message, todo)];
  }
}

/** A publisher of one installation writes about this many bytes a week. Below that, the disk is nearly full. */
const LEAST_FREE_BYTES = 64 << 20;

/** Examines the disks of ledger, state and a store of files, each by its path. */
function examineDisks({ ledger, state, store }: Settings): Finding[] {
  const place = storeLocation(store);
  const paths = {
    ...(ledger === "none" ? {} : { ledger: dirname(resolve(ledger)) }),
    state: resolve(state),
    ...(place?.kind === "directory" ? { store: resolve(place.path) } : {}),
  };
  return Object.entries(paths).map(([name, path]) => {
    const { bavail, bsize, files, ffree } = statfsSync(nearestThere(path));
    const free = bavail * bsize;
    const saw = `${name} ${path}: ${Math.floor(free / 2 ** 20)} MiB free`;
    if (files > 0 && ffree === 0)
      return badFinding("disk", `${saw}, and no inode`, "Delete files there, or name another place.");
    return free < LEAST_FREE_BYTES
      ? badFinding("disk", saw, `Free space on that disk, or name another place with --${name}.`)
      : goodFinding("disk", saw);
  });
}

/** Finds the full disks of a publisher that runs on this machine. */
export function fullDisks(settings: Settings): Finding[] {
  return existsSync(settings.state) ? examineDisks(settings).filter(({ todo }) => todo !== null) : [];
}

/** Returns the path, or its nearest ancestor that exists. */
function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path));
}

/**
 * Examines the store as a writer: a put, its deletion, a list, the Date, conditions. Throws `Failure`,
 * `StoreUnavailable`.
 */
async function examineStore(settings: Settings): Promise<Finding[]> {
  const directory = newDirectoryOf(settings);
  if (directory !== undefined) return [newDirectory(directory, settings)];
  const store = await openConfiguredStore(settings, { write: true });
  const conditions = storeLocation(settings.store)?.kind === "s3" ? ", conditions judged" : "";
  return [goodFinding("store", `${store.name}: read, written${conditions}`)];
}

function newDirectory(path: string, { state }: Settings): Finding {
  const full = resolve(path);
  const last = storeOfState(state);
  checkReadable(full);
  if (last === full || last === IN_USE) throw noStore(full);
  checkOwn(full);
  const missing = missingPermission(join(full, STORE_MARK), "write");
  return missing === undefined
    ? goodFinding("store", `${path}: publish will make it`)
    : badFinding("store", missing.says, missing.todo);
}

/** Throws `Failure` as `openingHead`. A store that cannot be read is a finding of another check. */
async function examineOwner(settings: Settings): Promise<Finding[]> {
  const { installationId } = settings;
  const signers = settings.logKey === undefined ? [] : readLogKey(settings.logKey);
  if (installationId === undefined) return [];
  if (newDirectoryOf(settings) !== undefined) {
    const [signer] = signers;
    if (signer !== undefined) throw logUnconfirmed(signer.verifier.name);
    return [];
  }
  try {
    const store = await openConfiguredStore(settings, { write: false });
    const found = await readHead(store);
    await openingHead(found, {
      store,
      installationId,
      signers,
      program: packageVersion(),
      opens: {},
      clock: systemClock,
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
  return [];
}

/** Compares this clock with the store's. A store that cannot be read is a finding of another check. */
async function examineClock(settings: Settings, now: () => number): Promise<Finding[]> {
  if (newDirectoryOf(settings) !== undefined) return [];
  try {
    const store = await openConfiguredStore(settings, { write: false });
    if (!hasClock(store)) return [];
    const skew = provenSkew(await store.measureClock(now));
    const text = `${duration(Math.abs(skew) / 1000)} ${skew < 0 ? "behind" : "ahead of"} the store's`;
    if (Math.abs(skew) <= CLOCK_TOLERANCE_MS) return [goodFinding("clock", text)];
    return [badFinding("clock", text, "Correct this host's clock (NTP), then run noonmark status again.")];
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof Failure) return [];
    throw error;
  }
}
