/** The inputs of `ingest --follow` (docs/spec/intake.md#follow). */

import { type BigIntStats, constants, type Dirent, type Stats } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Counts, Intake } from "../ledger/intake/intake.ts";
import type { RejectedFrom, Rejection } from "../ledger/intake/rejection.ts";

/** The input of `ingest --follow`: a file that grows, or a spool directory. */
export interface Followed {
  /**
   * Ingests and commits the complete lines. Returns early if `stopping` is true, after committing the lines so far.
   * Throws `Failure` as intake does (exit 74), and `file_unreadable`.
   */
  poll(stopping: () => boolean): Promise<void>;
  /** The total counts of all polls. */
  readonly counts: Counts;
  /** Discards what is not committed. A later poll reads it again. */
  close(): Promise<void>;
}

/** Creates the intake of a file. Rejections go to `rejects`, if given, and are reported with the file's name. */
export type IntakeOf = (file: { readonly name?: string; readonly rejects?: string }) => FileIntake;

export interface FileIntake {
  readonly intake: Intake;
  /** True if the file of its rejects is beside it, so a failure there concerns no other file. */
  readonly hasOwnRejects: boolean;
  /** Rolls back uncommitted lines, and closes the file of rejects. */
  close(): void;
}

/** Opens without waiting for a pipe's other end. Check the open file by `irregularity` before reading it. */
export const OPEN_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;
/** Like OPEN_WITHOUT_WAITING, but fails with ELOOP on a symbolic link. */
export const OPEN_WITHOUT_LINKS = OPEN_WITHOUT_WAITING | constants.O_NOFOLLOW;

/** Returns the kind of an irregular file for a message; undefined for a regular file. */
export function irregularity(
  entry: Dirent<string> | Dirent<NonSharedBuffer> | Stats | BigIntStats,
): string | undefined {
  if (entry.isFile()) return undefined;
  if (entry.isSymbolicLink()) return "a symbolic link";
  return entry.isDirectory() ? "a directory" : "a pipe, a socket or a device";
}

/** Receives what happens to a source. */
export interface SourceLog {
  /** `from`: the source, and the position in it from which facts are taken. */
  following(from: Readonly<Record<string, unknown>>): void;
  refusedFile(message: string): void;
  rejected(rejections: readonly Rejection[], from: RejectedFrom): void;
  /** Called again and again. */
  counts(counts: Counts): void;
  fullDisk(): SourceOutage;
  outage(code: string, hint: string, ended: string): SourceOutage;
}

/** Two calls with the same outcome are one outage, or none. */
export interface SourceOutage {
  failed(error: Error): void;
  succeeded(): void;
}

/** Waits for `ms`, or until the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, undefined, { signal }).catch(() => {});
}
