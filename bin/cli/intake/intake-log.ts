/**
 * The lines of `ingest --follow`: its source and position, a line a minute with counts, each outage and its end, and at
 * most one line a second about rejected lines. The file of rejects has each of them.
 */
import type { Logger } from "pino";
import type { Counts } from "../../../src/ledger/intake/intake.ts";
import {
  type FaultHints,
  type RejectedFrom,
  type Rejection,
  rejectionSentences,
} from "../../../src/ledger/intake/rejection.ts";
import type { SourceLog } from "../../../src/sources/followed.ts";
import { appendRejections, type RejectsFile } from "../../../src/sources/rejects-file.ts";
import type { Warning } from "../messages.ts";
import { Outage } from "../outage.ts";

const FAULT_HINTS: FaultHints = {
  in_future: "--allow-future accepts it anyway",
  installation_not_listed: "--new-installation ID accepts a new one, the setting installations any accepts all",
};

/** Reports rejections of a single run on stderr, and in the file of rejects, if any. */
export function reportRejections(rejections: readonly Rejection[], rejects: RejectsFile | undefined): void {
  appendRejections(rejections, rejects, {});
  const sentences = rejections.flatMap((rejection) => rejectionSentences(rejection, FAULT_HINTS));
  process.stderr.write(sentences.map((sentence) => `${sentence}\n`).join(""));
}

const COUNTED_EVERY_MS = 60_000;
const REJECTED_EVERY_MS = 1_000;

export class IntakeLog implements SourceLog {
  readonly #log: Logger;
  readonly #monotonic: () => number;
  #countedAt: number;
  #counted = "";
  #rejectedAt = Number.NEGATIVE_INFINITY;
  /** Rejected lines since the last line about one. */
  #rejected = 0;

  /** `monotonic` returns ms. */
  constructor(log: Logger, monotonic: () => number = () => performance.now()) {
    this.#log = log;
    this.#monotonic = monotonic;
    this.#countedAt = monotonic();
  }

  /** `from`: the source, and the position in it from which facts are taken. */
  following(from: Readonly<Record<string, unknown>>): void {
    this.#log.info(from, "following");
  }

  readonly warning = ({ code, message, hint }: Warning): void => this.#log.warn({ code, hint }, message);

  refusedFile(message: string): void {
    this.warning({ code: "file_refused", message });
  }

  outage(code: string, hint: string, ended: string): Outage {
    return new Outage(this.#monotonic, {
      lasts: ({ message }, failures) => this.#log.warn({ code, hint, failures }, `${message}; ingest waits`),
      ended: (afterMs) => this.#log.info({ afterMs }, ended),
    });
  }

  fullDisk(): Outage {
    return this.outage("disk_full", "Free space: df -h", "the disk has space again");
  }

  rejected(rejections: readonly Rejection[], from: RejectedFrom): void {
    this.#rejected += rejections.length;
    const [first] = rejections;
    const now = this.#monotonic();
    if (first === undefined || now - this.#rejectedAt < REJECTED_EVERY_MS) return;
    this.#rejectedAt = now;
    const [sentence = ""] = rejectionSentences(first, FAULT_HINTS);
    this.#log.warn({ code: first.fault.code, ...from, rejected: this.#rejected }, sentence);
    this.#rejected = 0;
  }

  /** Must be called again and again: logs the counts once a minute if they have changed. */
  counts(counts: Counts): void {
    const now = this.#monotonic();
    if (now - this.#countedAt < COUNTED_EVERY_MS) return;
    this.#countedAt = now;
    const { accepted, duplicate, rejected } = counts;
    const text = JSON.stringify({ accepted, duplicate, rejected });
    if (text === this.#counted) return;
    this.#counted = text;
    this.#log.info({ accepted, duplicate, rejected }, "taken since the start");
  }
}
