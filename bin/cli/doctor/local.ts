/** Examines a publisher's requirements on this host: Node, settings, ledger, state. */
import { existsSync, statfsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { stateFile } from "../../../publish/state-directory.ts";
import { CHAIN_FILE } from "../../../src/chain/store/schema.ts";
import { isDiskFull } from "../../../src/files/disk-full.ts";
import { missingPermission } from "../../../src/files/missing-permission.ts";
import { openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import { readNewestReceipt } from "../../../src/ledger/read/receipts.ts";
import { installationRowId, listInstallations } from "../../../src/ledger/watermarks.ts";
import { storeLocation } from "../../../src/object-store/location.ts";
import { PROJECTIONS_FILE } from "../../../src/projections/open.ts";
import { damageOf, sqliteFailure } from "../../../src/sqlite/sqlite-failure.ts";
import { Failure } from "../../../src/values/failure.ts";
import { ROUND_SECONDS } from "../../../src/values/round.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { FAILURE_TEXTS } from "../failures.ts";
import { hintOf } from "../hints.ts";
import { behindPublication } from "../intake/behind-publication.ts";
import { judgeSettings } from "../publish/judge-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { duration } from "../status/print-publication.ts";
import { badFinding, type DoctorFinding, goodFinding } from "./finding.ts";

/** Older versions never get here, because bin/noonmark.js rejects them. */
export function examineNode(): DoctorFinding[] {
  return [goodFinding("node", process.versions.node)];
}

/** Examines loaded settings; `now` is in epoch ms. Throws `Failure` if `publish` would reject them. */
export async function examineSettings(settings: Settings, file: string, now: number): Promise<DoctorFinding[]> {
  await judgeSettings(settings, now);
  const from = existsSync(file) ? file : `no ${file}; only flags and variables`;
  return [goodFinding("settings", from), ...examineGenesis(settings)];
}

function examineGenesis({ genesisTimestamp, rpcUrl }: Settings): DoctorFinding[] {
  if (genesisTimestamp !== undefined || rpcUrl !== undefined) return [];
  const todo = `Set genesisTimestamp (seconds, a multiple of ${ROUND_SECONDS}), or a chain, which has it.`;
  return [badFinding("genesis", "the start of round 0 is unknown: the statistics are 503", todo)];
}

/** The maximum number of installations that a line names. */
const MAX_NAMED = 5;

/** `now` is in epoch ms. Throws `Failure` if the ledger cannot be read. */
export async function examineLedger(settings: Settings, now: number): Promise<DoctorFinding[]> {
  const { ledger: path, installationId } = settings;
  if (path === "none") return [goodFinding("ledger", "none")];
  const ledger = openLedgerForReading(path);
  try {
    const ids = readLedger(ledger, listInstallations).map(({ id }) => id);
    const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : "";
    const all = ids.length === 0 ? "no installation yet" : `${ids.slice(0, MAX_NAMED).join(", ")}${more}`;
    const behind = await behindPublication(settings, () => undefined);
    const finding =
      behind === undefined
        ? goodFinding("ledger", `${path}: ${all}`)
        : badFinding("ledger", `${behind.code}: ${behind.message}`, hintOf(behind));
    return installationId === undefined ? [finding] : [finding, examineInstallation(ledger, installationId, now)];
  } finally {
    ledger.close();
  }
}

function examineInstallation(ledger: Database, installationId: string, now: number): DoctorFinding {
  return readLedger(ledger, (db) => {
    const rowId = installationRowId(db, installationId);
    if (rowId === undefined) {
      const todo = "Correct the setting installationId, or ingest that installation's records.";
      return badFinding("installation", `${installationId} is not in the ledger`, todo);
    }
    const newest = readNewestReceipt(db, rowId);
    const receipt =
      newest === undefined
        ? "no receipt yet"
        : `newest receipt ${formatTimestamp(newest.receivedAt)} (${duration((now - newest.receivedAt) / 1000)} ago)`;
    return goodFinding("installation", `${installationId}: ${receipt}`);
  });
}

/** Examines the state directory without creating anything. */
export function examineState({ state }: Settings): DoctorFinding[] {
  const missing = missingPermission(stateFile(state), "write");
  if (missing !== undefined) return [badFinding("state", missing.says, missing.todo)];
  const there = existsSync(state);
  const chain = join(state, CHAIN_FILE);
  const damaged = [
    ...stateDamage(stateFile(state), `Delete ${stateFile(state)}: the publisher rebuilds it from the store.`),
    ...stateDamage(join(state, PROJECTIONS_FILE), FAILURE_TEXTS.projections_damaged[1]),
    ...stateDamage(chain, `Delete ${chain}: the publisher reads the chain again.`),
  ];
  return damaged.length > 0 ? damaged : [goodFinding("state", there ? state : `${state}: publish will make it`)];
}

/** Reads a whole file of the state, if a running publisher does not lock it. */
function stateDamage(path: string, todo: string): DoctorFinding[] {
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
export function examineDisks({ ledger, state, store }: Settings): DoctorFinding[] {
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

/** Returns the path, or its nearest ancestor that exists. */
function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path));
}
