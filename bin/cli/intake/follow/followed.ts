import type { Counts, Intake } from "../../../../src/ledger/intake/intake.ts";

/** The input of `ingest --follow`: a file that grows, or a spool directory. */
export interface Followed {
  /**
   * Takes in and commits the whole lines that are there. Once `stopping` says so it returns early, what it took
   * committed. Throws `Failure` as intake does (exit 74), and `input_unreadable`.
   */
  poll(stopping: () => boolean): Promise<void>;
  /** The counts of all polls. */
  readonly counts: Counts;
  close(): Promise<void>;
}

/** An intake for one file. Its rejections go to `rejects`, if there is a path, and are reported with the file's name. */
export type IntakeOf = (file: { readonly name?: string; readonly rejects?: string }) => FileIntake;

export interface FileIntake {
  readonly intake: Intake;
  /** Undoes what is not committed, and closes the file of rejects. */
  close(): void;
}

export const NOTHING: Counts = { accepted: 0, duplicate: 0, rejected: 0 };

export function sumOf(one: Counts, other: Counts): Counts {
  return {
    accepted: one.accepted + other.accepted,
    duplicate: one.duplicate + other.duplicate,
    rejected: one.rejected + other.rejected,
  };
}

/** Polls until `next` says no: it waits for something new, or for the end. */
export async function follow(
  followed: Followed,
  next: () => Promise<boolean>,
  stopping: () => boolean,
): Promise<Counts> {
  try {
    do await followed.poll(stopping);
    while (await next());
    return followed.counts;
  } finally {
    await followed.close();
  }
}
