/** `noonmark ledger restore`: builds or continues a ledger from a published log (docs/spec/intake.md#replay). */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "better-sqlite3";
import type { Command } from "commander";
import { intakeLine } from "../../../src/ledger/entry.ts";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { type IntakeRecord, RECORD_TYPES } from "../../../src/ledger/intake/record-types.ts";
import {
  type LoggedPosition,
  readStreamPosition,
  restorePosition,
  type StreamPosition,
} from "../../../src/ledger/intake/stream-position.ts";
import {
  contains,
  entryTexts,
  type LogPoint,
  logPoint,
  logSize,
  newestTexts,
  rootWithin,
} from "../../../src/ledger/log.ts";
import { backUp, markMirror, openLedgerForIntake, openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import { GrowingTree } from "../../../src/log/tree.ts";
import type { ReadOnlyDatabase } from "../../../src/sqlite/statement.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { apiUrl, wholeArgument } from "../../cli/arguments.ts";
import { openConfiguredStore } from "../../cli/configured-store.ts";
import { type LogSource, servedLog, storedLog } from "../../cli/intake/log-source.ts";
import { print, tableLines, write } from "../../cli/messages.ts";
import { loadSettings, required } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/settings.ts";

interface Flags {
  readonly logKey?: string;
  readonly withoutStream?: boolean;
  readonly fromSequence?: number;
}

export function registerLedger(program: Command): void {
  const ledger = program.command("ledger");
  registerExport(ledger);
  registerBackup(ledger);
  const restore = ledger
    .command("restore")
    .description("build a ledger from the published log, or continue one that lacks the newest facts")
    .argument(
      "[place]",
      "where the log is: a directory, s3://BUCKET/PREFIX, or the URL of a deployment; by default the setting store",
    )
    .option("--log-key <key>", "the verifier key that must have signed the log; a URL requires it")
    .option(
      "--from-sequence <number>",
      "with --log-key, the stream's next message, which the store says without a proof",
      wholeArgument,
    )
    .option("--without-stream", "if the facts came from a stream, take them all, and do not follow the stream");
  settingOptions(restore, ["ledger", "s3Provider", "s3Endpoint", "s3Region"]).action(
    async (place: string | undefined, { logKey: key, withoutStream, fromSequence, ...flags }: Flags) => {
      const url = place === undefined ? undefined : apiUrl(place);
      const given = place === undefined || url !== undefined ? flags : { ...flags, store: place };
      const settings = loadSettings(given, ["ledger"]);
      const path = required(settings, "ledger");
      if (url !== undefined && key === undefined) {
        throw new Failure("usage", "a log from a URL counts only if a known key signed it", {
          hint: "Add --log-key 'NAME+ID+DATA'. The operator of the deployment gives it to you.",
        });
      }
      const log =
        url !== undefined && key !== undefined
          ? await servedLog(url, key)
          : await storedLog(await openConfiguredStore(settings, { write: false }), key);
      const { stream } = withoutStream === true ? {} : log;
      // The key signs the log, and not the position.
      const next = stream && stream.position.sequence + 1;
      if (stream !== undefined && key !== undefined && fromSequence !== next) throw unproved(stream.position);
      const lines = stream === undefined ? restored(path, log, url?.href) : restoredToStream(path, log, stream);
      await print(await lines);
    },
  );
}

function unproved({ name, sequence }: StreamPosition): Failure {
  return new Failure(
    "stream_position_unknown",
    `the store says, and no signature proves, that the stream ${printable(name)} goes on with message ${sequence + 1}`,
    {
      hint: `If its operator confirms that: --from-sequence ${sequence + 1}. A wrong one loses facts. To take only what the log has: --without-stream`,
    },
  );
}

/** Restores the file, and returns the report's lines. Throws `Failure`, `StoreUnavailable`. */
async function restored(path: string, log: LogSource, url: string | undefined): Promise<string[]> {
  return restoreUpTo(log, path, log, (ledger, added) => {
    if (url !== undefined) markMirror(ledger, url);
    const ahead = logSize(ledger) - log.size;
    return [
      `ledger ${printable(resolve(path))} contains the ${log.size} entries of the log; ${added} of them are new`,
      ...(ahead > 0 ? [`It has ${ahead} more that are not published.`] : []),
      ...newestFacts(ledger),
      url === undefined
        ? "Send again every fact that came after these: noonmark ingest FILE. What the ledger has is a duplicate."
        : "It is a mirror: it takes facts only from there. Run the same command again to continue it.",
    ];
  });
}

/**
 * Restores the entries up to a position in a stream, which has the others. So the ledger takes exactly what the lost
 * one took, also if a line was rejected once and would be accepted now. Throws as `restored` does, and `Failure`
 * stream_position_unknown.
 */
async function restoredToStream(path: string, log: LogSource, stream: LoggedPosition): Promise<string[]> {
  const { name, sequence, subject } = stream.position;
  return restoreUpTo(stream, path, log, (ledger, added) => {
    restorePosition(ledger, stream);
    const filter = subject === null ? "" : ` --subject ${printable(subject)}`;
    return [
      `ledger ${printable(resolve(path))} contains the first ${stream.size} of the ${log.size} entries of the log; ${added} of them are new`,
      `The stream ${printable(name)} has the others, from message ${sequence + 1} on: noonmark ingest --follow nats://HOST/${printable(name)}${filter}`,
    ];
  });
}

/** `report` gets the ledger and how many entries were added. */
async function restoreUpTo(
  end: LogPoint,
  path: string,
  log: LogSource,
  report: (ledger: Database, added: number) => string[],
): Promise<string[]> {
  const own = commonPoint(path, log);
  if (own.size === log.size ? own.root !== log.root : !(await log.beginsWith(own))) throw forked(path, log);
  const ledger = openLedgerForIntake(path);
  try {
    const added = Math.max(0, end.size - own.size);
    if (added > 0) await takeEntries(ledger, own.size, end.size, log);
    return report(ledger, added);
  } finally {
    ledger.close();
  }
}

/** Returns the end of what a ledger may have in common with a log. A file that does not exist is not made yet. */
function commonPoint(path: string, log: LogPoint): LogPoint {
  if (!existsSync(path)) return { size: 0, root: new GrowingTree().root().toString("base64") };
  const ledger = openLedgerForIntake(path);
  try {
    const stream = readStreamPosition(ledger);
    if (stream !== undefined) throw followsStream(path, stream);
    const size = Math.min(logSize(ledger), log.size);
    return { size, root: rootWithin(ledger, size) };
  } finally {
    ledger.close();
  }
}

/**
 * Throws `Failure` log_not_replayable, ledger_forked, and errors of reading and writing. The ledger then has the first
 * entries of the log, and the next run continues.
 */
async function takeEntries(ledger: Database, since: number, end: number, log: LogSource): Promise<void> {
  const intake = new Intake(ledger);
  try {
    for await (const { text, index } of log.entries(since)) {
      intake.writeEntry(text, index);
      if (index + 1 === end) break;
    }
  } finally {
    // After a failed read the entries so far are right. A refused entry has discarded its batch.
    intake.end();
  }
  if (end < log.size || contains(ledger, log)) return;
  throw new Failure("log_damaged", "the entries of the log changed while they were read");
}

function followsStream(path: string, { name }: StreamPosition): Failure {
  return new Failure(
    "ledger_follows_stream",
    `the ledger ${printable(path)} follows the stream ${printable(name)}, which has the facts that it lacks`,
    { hint: "Start its intake. To begin again from the store, move the ledger away first." },
  );
}

function forked(path: string, { size }: LogSource): Failure {
  return new Failure(
    "ledger_forked",
    `the log was published with ${size} entries, and the ledger ${printable(path)} has other facts among these`,
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
  return tableLines([["installation", "newest fact", "at", "key"], ...facts]);
}

/** Entries of one read transaction. Between two of them SQLite can shorten its -wal file. */
const PAGE_ENTRIES = 1_000;

function registerExport(ledger: Command): void {
  const command = ledger
    .command("export")
    .description("print the accepted facts in their order, as lines that ingest takes")
    .option("--skip <number>", "leave out this many of the first entries", wholeArgument, 0);
  settingOptions(command, ["ledger"]).action(({ skip }: { readonly skip: number }) =>
    exportLedger(required(loadSettings(command.opts(), ["ledger"]), "ledger"), skip),
  );
}

function registerBackup(ledger: Command): void {
  const command = ledger
    .command("backup")
    .description(
      "copy the ledger to a file, also while facts are taken in; it replaces only an older copy of this ledger",
    )
    .argument("<file>", "the copy");
  settingOptions(command, ["ledger"]).action(async (file: string) => {
    const path = required(loadSettings(command.opts(), ["ledger"]), "ledger");
    if (resolve(file) === resolve(path)) {
      throw new Failure("usage", `the backup ${file} would replace the ledger`, { hint: "Name another file." });
    }
    const db = openLedgerForReading(path);
    try {
      if (existsSync(file) && !isOlderCopy(file, db)) {
        throw new Failure("usage", `${file} exists, and is no older copy of this ledger`, {
          hint: "Name another file, or move that one away.",
        });
      }
      backUp(db, file);
      await print(
        `ledger ${printable(resolve(path))}: ${logSize(db)} entries or more are in ${printable(resolve(file))}`,
      );
    } finally {
      db.close();
    }
  });
}

function isOlderCopy(file: string, ledger: ReadOnlyDatabase): boolean {
  try {
    const copy = openLedgerForReading(file);
    try {
      return contains(ledger, logPoint(copy));
    } finally {
      copy.close();
    }
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/**
 * Prints the entries from `first` on, which counts from 0. Throws `Failure` as `openLedgerForReading` does,
 * output_unwritable.
 */
async function exportLedger(path: string, first: number): Promise<void> {
  const ledger = openLedgerForReading(path);
  try {
    const size = logSize(ledger);
    for (let start = first; start < size; start += PAGE_ENTRIES) {
      const end = Math.min(start + PAGE_ENTRIES, size);
      const lines = readLedger(ledger, () => [...entryTexts(ledger, start, end)].map(intakeLine));
      if (!(await write(`${lines.join("\n")}\n`))) return;
    }
  } finally {
    ledger.close();
  }
}
