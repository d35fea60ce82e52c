/**
 * `noonmark ledger restore` builds or continues a ledger from the published log (docs/spec/intake.md#replay). The whole log is
 * checked before the first entry is written. `noonmark ledger export` prints the entries as lines that `ingest` takes.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "better-sqlite3";
import type { Command } from "commander";
import { readCheckpoint, readEntries, type StoredLog } from "../../../publish/published-log.ts";
import { parseIndex } from "../../../src/http/installations.ts";
import { checkpointKey, INSTALLATIONS_KEY } from "../../../src/http/keys.ts";
import { intakeLine } from "../../../src/ledger/entry.ts";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { type IntakeRecord, RECORD_TYPES } from "../../../src/ledger/intake/record-types.ts";
import { refuseStreamLedger } from "../../../src/ledger/intake/stream-position.ts";
import { contains, entryTexts, type LogPoint, logSize, newestTexts, rootOf } from "../../../src/ledger/log.ts";
import { openLedgerForIntake, openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import { GrowingTree } from "../../../src/log/tree.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import type { ReadOnlyDatabase } from "../../../src/sqlite/statement.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { wholeArgument } from "../../cli/arguments.ts";
import { openConfiguredStore, readParsed } from "../../cli/configured-store.ts";
import { print } from "../../cli/messages.ts";
import { progressBar, ratePerSecond } from "../../cli/progress.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";
import { tableLines } from "../../cli/table.ts";

export function registerLedger(program: Command): void {
  const ledger = program.command("ledger").description("restore a lost ledger, or print the facts of one");
  registerExport(ledger);
  const restore = ledger
    .command("restore")
    .description("build a ledger from the published log, or continue one that lacks the newest facts")
    .argument("[store]", "where the log was published: a directory or s3://BUCKET/PREFIX; by default the setting store")
    .option("--log <number>", "the number of the log; by default the one that the store's index names", wholeArgument);
  settingOptions(restore, ["ledger", "s3Provider", "s3Endpoint", "s3Region", "s3PathStyle"]).action(
    async (store: string | undefined, { log: number }: { log?: number }) => {
      const given = store === undefined ? {} : { store };
      const settings = loadSettings({ ...restore.opts(), ...given }, ["ledger", "store"]);
      const path = ledgerPath(settings);
      const log = await storedLog(await openConfiguredStore(settings, { write: false }), number);
      for (const line of await restored(path, log)) console.log(line);
    },
  );
}

/** Throws `Failure` missing_setting. */
function ledgerPath({ ledger }: Settings): string {
  if (ledger !== "none") return ledger;
  throw new Failure("missing_setting", "ledger is none, but this command needs a ledger", {
    hint: "Give --ledger <path>, NOONMARK_LEDGER, or the key ledger of noonmark.json.",
  });
}

/** A log, and the store in which it is. */
interface Source extends StoredLog {
  readonly store: ObjectStore;
}

/** Throws `Failure` never_published, log_damaged; `StoreUnavailable`. */
async function storedLog(store: ObjectStore, given: number | undefined): Promise<Source> {
  const number = given ?? (await readParsed(store, INSTALLATIONS_KEY, parseIndex))?.log;
  if (number === undefined) {
    throw new Failure("never_published", `${store.name} has no index of installations, which names the log`, {
      hint: "Name the store that was published to. If only its index is lost, name the log: --log 1",
    });
  }
  const log = await readCheckpoint(store, number);
  if (log !== undefined) return { store, ...log };
  throw new Failure(
    "log_damaged",
    `the checkpoint of log ${number} is missing, so nobody knows which entries are whole`,
    {
      hint: "Check the store and --log. A publisher whose ledger has these facts writes it again: noonmark publish --once",
    },
  );
}

/** Restores the file, and returns the report's lines. Throws `Failure`, `StoreUnavailable`. */
async function restored(path: string, log: Source): Promise<string[]> {
  const own = commonPoint(path, log);
  if (own.size === log.size ? own.root !== log.root : await isForked(own, log)) throw forked(path, log);
  const ledger = openLedgerForIntake(path);
  try {
    if (own.size < log.size) await takeEntries(ledger, own.size, log);
    const ahead = logSize(ledger) - log.size;
    return [
      `ledger ${printable(resolve(path))} contains the ${log.size} entries of log ${log.number}; ${log.size - own.size} of them are new`,
      ...(ahead > 0 ? [`It has ${ahead} more that are not published.`] : []),
      ...newestFacts(ledger),
      "Send again every fact that came after these: noonmark ingest FILE. What the ledger has is a duplicate.",
    ];
  } finally {
    ledger.close();
  }
}

/** Returns the end of what a ledger may have in common with a log. A file that does not exist is not made yet. */
function commonPoint(path: string, log: LogPoint): LogPoint {
  if (!existsSync(path)) return { size: 0, root: new GrowingTree().root().toString("base64") };
  const ledger = openLedgerForIntake(path);
  try {
    refuseStreamLedger(ledger);
    const size = Math.min(logSize(ledger), log.size);
    return { size, root: rootOf(ledger, size) as string };
  } finally {
    ledger.close();
  }
}

/** True if the log does not contain this point. Throws `Failure` log_damaged unless its entries have the checkpoint's root. */
async function isForked(own: LogPoint, log: Source): Promise<boolean> {
  const tree = new GrowingTree();
  let begins = own.size === 0;
  await eachEntry("checked", 0, log, (text) => {
    tree.append(text);
    if (tree.size === own.size) begins = tree.root().toString("base64") === own.root;
  });
  if (tree.root().toString("base64") === log.root) return !begins;
  const says = `the entries of log ${log.number} do not have the root of ${checkpointKey(log.place, log.number)}`;
  throw new Failure("log_damaged", says);
}

/** Throws `Failure` log_not_replayable, ledger_forked, and errors of writing. The ledger then has the log's first entries. */
async function takeEntries(ledger: Database, since: number, log: Source): Promise<void> {
  const intake = new Intake(ledger);
  try {
    await eachEntry("written", since, log, (text, index) => intake.writeEntry(text, index));
    intake.end();
  } finally {
    intake.abort();
  }
  if (contains(ledger, log)) return;
  throw new Failure("log_damaged", `the entries of log ${log.number} changed while they were read`);
}

async function eachEntry(
  done: string,
  since: number,
  { store, ...log }: Source,
  use: (text: string, index: number) => void,
): Promise<void> {
  const progress = progressBar(process.stderr, `{bar} {percentage}% | {value} entries ${done} | {rate}/s`);
  const start = performance.now();
  let index = 0;
  try {
    for await (const text of readEntries(store, log)) {
      if (index >= since) use(text, index);
      index++;
      if (index % ENTRIES_PER_STEP === 0) progress.show(index, log.size, { rate: ratePerSecond(index, start) });
    }
  } finally {
    progress.stop();
  }
}

const ENTRIES_PER_STEP = 1024;

function forked(path: string, { number, size }: StoredLog): Failure {
  return new Failure(
    "ledger_forked",
    `log ${number} was published with ${size} entries, and the ledger ${printable(path)} has other facts among these`,
    { hint: "The ledger was not changed. Restore to a new file: noonmark ledger restore --ledger NEW.db" },
  );
}

/** Returns a table with the last entry of each installation: its sender sends again what came after it. */
function newestFacts(ledger: ReadOnlyDatabase): string[] {
  const facts = newestTexts(ledger).map((text) => {
    const fact = JSON.parse(text) as Readonly<Record<string, unknown>> & Pick<IntakeRecord, "type" | "installationId">;
    const { key, serviceInstants } = RECORD_TYPES[fact.type];
    const at =
      serviceInstants
        .map((name) => String(fact[name] ?? ""))
        .toSorted()
        .at(-1) ?? "";
    const keys = key.map((name) => `${name} ${printable(String(fact[name]))}`);
    return [fact.installationId, fact.type, at, keys.join(" ")];
  });
  return tableLines(["installation", "newest fact", "at", "key"], facts, { hasLines: false });
}

// Exporting a ledger.

/** Entries of one read transaction. Between two of them SQLite can shorten its -wal file. */
const PAGE_ENTRIES = 1_000;

function registerExport(ledger: Command): void {
  const command = ledger
    .command("export")
    .description("print the accepted facts in their order, as lines that ingest takes")
    .option("--skip <number>", "leave out this many of the first entries", wholeArgument, 0);
  settingOptions(command, ["ledger"]).action(({ skip }: { readonly skip: number }) =>
    exportLedger(ledgerPath(loadSettings(command.opts(), ["ledger"])), skip),
  );
}

/** Prints the entries from `first` on, which counts from 0. Throws `Failure` as `openLedgerForReading` does, output_unwritable. */
async function exportLedger(path: string, first: number): Promise<void> {
  const ledger = openLedgerForReading(path);
  try {
    const size = logSize(ledger);
    for (let start = first; start < size; start += PAGE_ENTRIES) {
      const end = Math.min(start + PAGE_ENTRIES, size);
      const lines = readLedger(ledger, () => [...entryTexts(ledger, start, end)].map(intakeLine));
      await print(lines.join("\n"));
    }
  } finally {
    ledger.close();
  }
}
