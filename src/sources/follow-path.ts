/** Runs `ingest --follow` until a signal ends it (docs/spec/intake.md#follow). */
import { type FSWatcher, type Stats, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { isDiskFull } from "../files/disk-full.ts";
import { type Counts, Intake, type IntakeRules } from "../ledger/intake/intake.ts";
import type { Rejection } from "../ledger/intake/rejection.ts";
import { IdleWal } from "../sqlite/idle-wal.ts";
import { Failure } from "../values/failure.ts";
import { errorOf } from "../values/unknown.ts";
import { type FileIntake, type IntakeOf, pause, type SourceLog } from "./followed.ts";
import { GrowingFile } from "./growing-file.ts";
import { inputFailure } from "./input.ts";
import { appendRejections, LimitedReport, RejectsFile } from "./rejects-file.ts";
import { Spool } from "./spool.ts";

export interface Target {
  readonly path: string;
  readonly isThere: boolean;
  readonly isDirectory: boolean;
}

/** Throws `Failure`: `invalid_setting` (2) if it is neither a file nor a directory, `file_unreadable` (74). */
export function followable(path: string): Target {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw inputFailure(cause, path);
  }
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory()) {
    throw new Failure("invalid_setting", `${path} is neither a file nor a directory`, {
      hint: "A pipe is read as standard input.",
    });
  }
  return { path, isThere: stats !== undefined, isDirectory: stats?.isDirectory() ?? false };
}

export interface FollowOptions extends IntakeRules {
  /** The file given by --rejects. */
  readonly rejects: RejectsFile | undefined;
  readonly log: SourceLog;
  /** Ends it. What is committed stays. */
  readonly stop: AbortSignal;
  /** Shows the counts while the command runs. Returns a function that ends this. */
  watch(counts: () => Counts): Promise<() => Promise<void>>;
}

/** Wait (ms) before the input is read again while a disk is full. */
const FULL_DISK_PAUSE_MS = 5_000;

/** Waits while a disk is full. Throws other `Failure`s (exit 74) as intake does, and any error of `watch`. */
export async function followPath(target: Target, db: Database, options: FollowOptions): Promise<Counts> {
  const { rejects, watch: watchCounts, log, stop, ...rules } = options;
  const { path, isThere, isDirectory } = target;
  const intakeOf: IntakeOf = ({ name, rejects: beside }) =>
    fileIntake(db, { name, rejects: rejects ?? beside, log }, rules);
  const onRefused = (message: string) => log.refusedFile(message);
  const fullDisk = log.fullDisk();
  const followed = isDirectory ? new Spool(path, intakeOf, onRefused) : new GrowingFile(path, intakeOf, onRefused);
  const stopWatch = await watchCounts(() => followed.counts);
  log.following({ source: path, isThere, from: isDirectory ? "its first file" : "its first line" });
  const checkpoint = new IdleWal(db);
  try {
    for await (const _ of wakes(isDirectory ? path : dirname(path), stop)) {
      try {
        await followed.poll(() => stop.aborted);
        fullDisk.succeeded();
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        fullDisk.failed(errorOf(error));
        // The input is read again from its beginning. Committed lines are duplicates then.
        await followed.close();
        await pause(FULL_DISK_PAUSE_MS, stop);
      }
      checkpoint.look(performance.now());
      log.counts(followed.counts);
    }
  } finally {
    await followed.close();
    await stopWatch();
  }
  return followed.counts;
}

/** Opens a file, and waits while its disk is full. Undefined if a signal ended the wait. */
export async function onceThereIsSpace<Opened>(
  open: () => Opened,
  { log, stop }: Pick<FollowOptions, "log" | "stop">,
): Promise<Opened | undefined> {
  const fullDisk = log.fullDisk();
  while (!stop.aborted) {
    try {
      const opened = open();
      fullDisk.succeeded();
      return opened;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      fullDisk.failed(errorOf(error));
    }
    await pause(FULL_DISK_PAUSE_MS, stop);
  }
  return undefined;
}

interface FileReport {
  readonly name: string | undefined;
  readonly rejects: RejectsFile | string | undefined;
  readonly log: SourceLog;
}

function fileIntake(db: Database, { name, rejects, log }: FileReport, rules: IntakeRules): FileIntake {
  // The file of rejects is created when the first line is rejected.
  let own: RejectsFile | undefined;
  const isBeside = typeof rejects === "string";
  const from = { file: name };
  const report = new LimitedReport(from, () => (isBeside ? (own ??= new RejectsFile(rejects)) : rejects));
  const onRejected = (rejections: readonly Rejection[]): void => {
    log.rejected(rejections, from);
    // A followed file never ends, so each of its rejections is written.
    if (name === undefined && !isBeside) appendRejections(rejections, rejects, from);
    else report.add(rejections);
  };
  const intake = new Intake(db, { onRejected, ...rules });
  return {
    intake,
    hasOwnRejects: isBeside,
    close() {
      intake.abort();
      report.end();
      own?.close();
    },
  };
}

const STEADY_MS = 500;
/** The wait after a change, so that several lines of a line-by-line writer need only one commit. */
const GATHER_MS = 10;

/**
 * Yields when a poll is due: immediately at first, then half a second after the last poll, or sooner if the system
 * reports a change. Ends when the signal is aborted.
 */
async function* wakes(directory: string, stop: AbortSignal): AsyncGenerator<undefined, void, undefined> {
  let change = new AbortController();
  const wake = () => change.abort();
  const unwatch = changes(directory, wake);
  stop.addEventListener("abort", wake);
  try {
    while (!stop.aborted) {
      yield;
      await pause(STEADY_MS, change.signal);
      if (!change.signal.aborted) continue;
      await pause(GATHER_MS, stop);
      change = new AbortController();
    }
  } finally {
    unwatch();
  }
}

/** Calls `changed` on each change in a directory. Returns a function that ends this. */
function changes(directory: string, changed: () => void): () => void {
  let watcher: FSWatcher;
  try {
    watcher = watch(directory, { persistent: false }, changed);
  } catch {
    // If no watch is available, such as at the system's limit, only the timer causes polls.
    return () => undefined;
  }
  watcher.on("error", () => watcher.close());
  return () => watcher.close();
}
