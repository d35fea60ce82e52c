/** Runs `ingest --follow` until a signal ends it (docs/spec/intake.md#follow). */
import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { isDiskFull } from "../../../../src/files/disk-full.ts";
import { type Counts, Intake, type IntakeRules } from "../../../../src/ledger/intake/intake.ts";
import type { Rejection } from "../../../../src/ledger/intake/rejection.ts";
import { IdleCheckpoint } from "../../../../src/sqlite/idle-checkpoint.ts";
import { Failure } from "../../../../src/values/failure.ts";
import { errorOf } from "../../../../src/values/unknown.ts";
import { warn } from "../../messages.ts";
import { Outage } from "../../outage.ts";
import { askedToStop, pause } from "../../signals.ts";
import { inputFailure } from "../input.ts";
import { LimitedReport, RejectsFile, reportRejections } from "../rejects-file.ts";
import type { FileIntake, IntakeOf } from "./followed.ts";
import { GrowingFile } from "./growing-file.ts";
import { Spool } from "./spool.ts";
import { wakes } from "./wakes.ts";

export interface Target {
  readonly path: string;
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
  if (stats === undefined) process.stderr.write(`noonmark: there is no ${path} yet: waiting for it\n`);
  else if (!stats.isFile() && !stats.isDirectory()) {
    throw new Failure("invalid_setting", `${path} is neither a file nor a directory`, {
      hint: "A pipe is read with `noonmark ingest -`.",
    });
  }
  return { path, isDirectory: stats?.isDirectory() ?? false };
}

export interface FollowOptions extends IntakeRules {
  /** The file given by --rejects. */
  readonly rejects: RejectsFile | undefined;
  /** Shows the counts while the command runs. Returns a function that ends this. */
  watch(counts: () => Counts): Promise<() => Promise<void>>;
}

/** Wait (ms) before the input is read again while a disk is full. */
const FULL_DISK_PAUSE_MS = 5_000;

/** Waits while a disk is full. Throws other `Failure`s (exit 74) as intake does, and any error of `watch`. */
export async function followPath(target: Target, db: Database, options: FollowOptions): Promise<Counts> {
  const { rejects, watch, ...rules } = options;
  const { path, isDirectory } = target;
  const intakeOf: IntakeOf = ({ name, rejects: beside }) => fileIntake(db, { name, rejects: rejects ?? beside }, rules);
  const onRefused = (message: string) => warn({ code: "file_refused", message });
  const fullDisk = new Outage(() => performance.now(), {
    lasts: ({ message }) => warn({ code: "disk_full", message: `${message}; ingest waits`, hint: "Free space: df -h" }),
    ended: (ms) => process.stderr.write(`noonmark: the disk has space again after ${Math.round(ms / 1000)} s\n`),
  });
  const followed = isDirectory ? new Spool(path, intakeOf, onRefused) : new GrowingFile(path, intakeOf, onRefused);
  const stopWatch = await watch(() => followed.counts);
  const checkpoint = new IdleCheckpoint(db);
  const stop = new AbortController();
  void askedToStop().then(() => stop.abort());
  try {
    for await (const _ of wakes(isDirectory ? path : dirname(path), stop.signal)) {
      try {
        await followed.poll(() => stop.signal.aborted);
        fullDisk.succeeded();
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        fullDisk.failed(errorOf(error));
        // The input is read again from its beginning. Committed lines are duplicates then.
        await followed.close();
        await pause(FULL_DISK_PAUSE_MS, stop.signal);
      }
      checkpoint.look(performance.now());
    }
  } finally {
    await followed.close();
    await stopWatch();
  }
  return followed.counts;
}

function fileIntake(
  db: Database,
  { name, rejects }: { readonly name: string | undefined; readonly rejects: RejectsFile | string | undefined },
  rules: IntakeRules,
): FileIntake {
  // The file of rejects is created when the first line is rejected.
  let own: RejectsFile | undefined;
  const isBeside = typeof rejects === "string";
  const report = new LimitedReport({ file: name }, () => (isBeside ? (own ??= new RejectsFile(rejects)) : rejects));
  // A followed file never ends, so each of its rejections is reported.
  const onRejected = (rejections: readonly Rejection[]): void =>
    name === undefined && !isBeside ? reportRejections(rejections, rejects) : report.add(rejections);
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
