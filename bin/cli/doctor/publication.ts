/**
 * Examines the store, its lease, and the publication: the publisher's last report, the sources compared with it, and
 * the cheap rules of fsck. Does not create a missing directory.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { holderNameOf } from "../../../publish/lease/holder.ts";
import { hasExpired, readLease } from "../../../publish/lease/lease-record.ts";
import { checkOwner } from "../../../publish/prefix-owner.ts";
import { IN_USE, storeOfState } from "../../../publish/state-rows.ts";
import { missingPermission } from "../../../src/files/missing-permission.ts";
import { fsckKeys } from "../../../src/fsck/fsck.ts";
import { lifetimeComplaint } from "../../../src/fsck/lifetime.ts";
import { INSTALLATIONS_KEY, PRIVATE_STATUS_KEY, STATUS_KEY } from "../../../src/http/keys.ts";
import { contains, recordTexts } from "../../../src/ledger/log.ts";
import { openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import { noStore, STORE_MARK } from "../../../src/object-store/filesystem/prepare.ts";
import { storeLocation } from "../../../src/object-store/location.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { RESPONSE_KEYS } from "../../../src/resources/find.ts";
import { allPublications } from "../../../src/resources/publications.ts";
import { RANGES, statisticsKey } from "../../../src/resources/statistics/route.ts";
import type { Statistics } from "../../../src/resources/statistics/schema.ts";
import { newDirectoryOf, openConfiguredStore, readResponse } from "../configured-store.ts";
import { readLogKey } from "../log-key.ts";
import type { Warning } from "../messages.ts";
import { EXPLAIN_STATISTICS, isNote, missingFacts, missingInputs } from "../publish/missing-inputs.ts";
import type { Settings } from "../settings/settings.ts";
import { duration } from "../status/print-publication.ts";
import { type Publication, readPublication } from "../status/publication.ts";
import { badFinding, type DoctorFinding, goodFinding, note } from "./finding.ts";

/** Examines the store as a writer: rights and conditions. Throws `Failure`, `StoreUnavailable`. */
export async function examineStore(settings: Settings): Promise<DoctorFinding[]> {
  const directory = newDirectoryOf(settings);
  if (directory !== undefined) return [newDirectory(directory, settings)];
  const store = await openConfiguredStore(settings, { write: true });
  const conditions = storeLocation(settings.store)?.kind === "s3" ? ", conditions judged" : "";
  return [goodFinding("store", `${store.name}: read, written${conditions}`)];
}

/** `now` is in epoch ms. Throws `Failure`, `StoreUnavailable`. */
export async function examineLease(settings: Settings, now: number): Promise<DoctorFinding[]> {
  if (newDirectoryOf(settings) !== undefined) return [];
  const store = await openConfiguredStore(settings, { write: false });
  const found = await readLease(store);
  if (found === undefined) return [goodFinding("lease", "nobody has ever held it")];
  const { epoch, renewedAt, released } = found.record;
  const age = `${duration((now - Date.parse(renewedAt)) / 1000)} ago`;
  const held = hasExpired(found.record, now) ? "silent, free to take" : "a second publisher waits as standby";
  const state = released
    ? `released ${age}`
    : `held by ${await holderNameOf(store, found.record)}, renewed ${age}: ${held}`;
  return [goodFinding("lease", `epoch ${epoch}, ${state}`)];
}

/** Throws `Failure` installation_changed, `StoreUnavailable`. */
export async function examineOwner(settings: Settings): Promise<DoctorFinding[]> {
  const { installationId } = settings;
  if (installationId === undefined || newDirectoryOf(settings) !== undefined) return [];
  const store = await openConfiguredStore(settings, { write: false });
  const publications = allPublications({ installationId, statisticsInterval: 0, site: undefined });
  const signers = settings.logKey === undefined ? [] : readLogKey(settings.logKey);
  const rest = { concurrency: REQUESTS, signers };
  await checkOwner({ store, reader: { installationId }, publications, ...rest });
  return [];
}

/** Requests in flight. */
const REQUESTS = 4;

function newDirectory(path: string, { state }: Settings): DoctorFinding {
  const full = resolve(path);
  const last = storeOfState(state);
  if (last === full || last === IN_USE) throw noStore(full);
  const missing = missingPermission(join(full, STORE_MARK), "write");
  return missing === undefined
    ? goodFinding("store", `${path}: publish will make it`)
    : badFinding("store", missing.says, missing.todo);
}

/** `now` in epoch ms. Throws `Failure`, `StoreUnavailable`. */
export async function examinePublication(settings: Settings, now: number): Promise<DoctorFinding[]> {
  if (newDirectoryOf(settings) !== undefined) return inputFindings(missingFacts(settings));
  const store = await openConfiguredStore(settings, { write: false });
  const publication = await readPublication(store, now);
  if (publication === undefined) {
    return [...inputFindings(missingFacts(settings)), goodFinding("publication", "nothing is published yet")];
  }
  const keys = [STATUS_KEY, PRIVATE_STATUS_KEY, INSTALLATIONS_KEY, ...publication.responses.map(({ key }) => key)];
  const broken = await fsckKeys(store, keys, { now });
  const findings = [
    ...publication.problems.map((problem) => badFinding("publication", problem, "`noonmark status` shows it in full.")),
    ...unavailableFindings(publication, settings),
    // The publication's problem says once that objects are ahead of the clock.
    ...broken
      .filter(({ rule }) => rule !== "source-version-future")
      .map(({ rule, key, says }) =>
        badFinding(
          "objects",
          `${rule} ${key}: ${says}`,
          "`noonmark fsck` reads every object, and --repair rewrites what it can.",
        ),
      ),
    ...(await lifetimeFindings(store, publication, settings)),
  ];
  if (findings.some(({ severity }) => severity === "fault")) return findings;
  return [
    ...findings,
    goodFinding(
      "publication",
      `${publication.responses.length} responses of ${RESPONSE_KEYS.length}, the ledger goes on from them`,
    ),
  ];
}

/** Finds missing inputs, and other 503s. A publisher without a ledger has no statistics by design. */
function unavailableFindings({ responses }: Publication, settings: Settings): DoctorFinding[] {
  if (settings.ledger === "none") return [];
  const missing = missingInputs(responses, settings);
  const explained = missing.some(({ code }) => EXPLAIN_STATISTICS.includes(code)) ? RANGES.map(statisticsKey) : [];
  const todo = "See ledger, genesis and chain; a publisher that has just begun may need a minute.";
  return [
    // Without a chain, the settings' finding `genesis` says the same.
    ...inputFindings(missing.filter(({ code }) => code !== "no_genesis" || settings.rpcUrl !== undefined)),
    ...responses
      .filter(({ key, status }) => status === 503 && !explained.includes(key))
      .map(({ route }) => badFinding("publication", `${route} is 503`, todo)),
  ];
}

function inputFindings(missing: readonly Warning[]): DoctorFinding[] {
  return missing.map(({ code, message, hint }) =>
    (isNote(code) ? note : badFinding)("inputs", `${code}: ${message}`, hint ?? ""),
  );
}

/** Compares the lifetime totals of statistics with the ledger from which they were computed. */
async function lifetimeFindings(
  store: ObjectStore,
  { responses }: Publication,
  settings: Settings,
): Promise<DoctorFinding[]> {
  if (settings.ledger === "none" || !existsSync(settings.ledger)) return [];
  const findings: DoctorFinding[] = [];
  const ledger = openLedgerForReading(settings.ledger);
  try {
    for (const key of RANGES.map(statisticsKey)) {
      if (!responses.some((one) => one.key === key && one.status === 200)) continue;
      const response = await readResponse(store, key);
      const { size, root } = response?.writerMetadata.sourceVersion ?? {};
      if (response === undefined || size === undefined || root === undefined) continue;
      const body = JSON.parse(new TextDecoder().decode(response.body)) as Statistics;
      const says = readLedger(ledger, (db) =>
        contains(db, { size, root }) ? lifetimeComplaint(body, recordTexts(db, size)) : undefined,
      );
      if (says !== undefined) findings.push(badFinding("statistics", `lifetime ${key}: ${says}`, LIFETIME_TODO));
    }
  } finally {
    ledger.close();
  }
  return findings;
}

const LIFETIME_TODO = "`noonmark fsck --repair` rewrites it.";
