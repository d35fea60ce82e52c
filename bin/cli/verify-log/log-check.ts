/**
 * `noonmark verify --log-key`: checks the signed log of a deployment, and that the observations are its receipts
 * (docs/spec/log.md#proof). It reads the log once, entry by entry, so its memory does not grow with the log.
 */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { createClient } from "../../../src/client/create-client.ts";
import { type Log, openLog } from "../../../src/client/log.ts";
import { replaceFile } from "../../../src/files/write-all.ts";
import type { Report } from "../../../src/judge/report.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { errorMessage } from "../../../src/values/unknown.ts";
import { codesAsFindings, LOG, LOG_SUBJECT } from "./log-rules.ts";
import { type Comparison, compareWithObservations, type Progress, Walks } from "./observations.ts";

export interface LogCheck extends Comparison {
  /** The file that remembers the log from one run to the next. */
  readonly since: string | undefined;
  /** Nodes of the reader, with which the chain's views are computed again; undefined without. */
  readonly rpcUrls: readonly string[] | undefined;
}

/** What the file of `--since` remembers. */
const memorySchema = z.strictObject({
  schemaVersion: z.literal(1),
  origin: z.string().min(1),
  size: z.int().nonnegative(),
  root: z.string(),
  /** The first entries, as many as were compared with the observations; fewer than the size if the run was cut off. */
  compared: z.int().nonnegative(),
  firstSeenAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
  /** By installation: how many receipts were checked, and the cursor of the last one. */
  checked: z.record(z.string(), z.strictObject({ receipts: z.int().nonnegative(), cursor: z.string().nullable() })),
});
type Memory = z.infer<typeof memorySchema>;

/**
 * Checks the log. Returns what it proved, as lines for people. A run that is cut off remembers how far it came. Throws `Failure`
 * log_key_invalid, format_unknown or file_unwritable, `NoResponse`, and `NoonmarkError` aborted.
 */
export async function checkLog(report: Report, check: LogCheck): Promise<readonly string[]> {
  const { since, receipt, signal } = check;
  const memory = since === undefined ? undefined : readMemory(since);
  const log = await codesAsFindings(report, () => openRemembered(check, memory));
  if (log === undefined) return [];
  report.check(LOG.log_unsigned, LOG_SUBJECT, true, NO_DETAIL);
  const walks = new Walks(createClient({ baseUrl: check.base }), memory?.checked ?? {}, check);
  const progress: Progress = { newest: log, compared: memory?.compared ?? 0, receipt: null };
  const now = formatTimestamp(Date.now());
  const firstSeenAt = memory?.firstSeenAt ?? now;
  const remember = () => {
    if (since === undefined) return;
    const { newest, compared } = progress;
    const { checkpoint } = newest;
    const checked = walks.positions();
    writeMemory(since, { schemaVersion: 1, ...checkpoint, compared, firstSeenAt, seenAt: now, checked });
  };
  try {
    await codesAsFindings(report, () => compareWithObservations(report, walks, progress, check));
  } catch (error) {
    if (signal.aborted) remember();
    throw error;
  }
  if (report.findings.some(({ rule }) => rule.startsWith("log/"))) return [];
  remember();
  // The log may have grown meanwhile, and what it has now was compared.
  const { checkpoint } = progress.newest;
  const lines = [
    `The log ${checkpoint.origin} has ${checkpoint.size} entries with the root ${checkpoint.root}, and the key signed it.`,
  ];
  if (memory !== undefined) {
    lines.push(`It still begins with the ${memory.size} entries that it had on ${memory.seenAt}.`);
  }
  if (receipt !== undefined) lines.push(...receiptLines(report, { receipt, since }, progress, firstSeenAt));
  return lines;
}

const NO_DETAIL = () => ({ expected: "", saw: "" });

function openRemembered({ base, keys, signal }: LogCheck, memory: Memory | undefined): Promise<Log> {
  const since = memory && { origin: memory.origin, size: memory.size, root: memory.root };
  return openLog({ baseUrl: base, key: keys, since, signal });
}

/** Throws `Failure` file_unwritable before anything is checked, if the file cannot be made later. */
function readMemory(path: string): Memory | undefined {
  if (!existsSync(path)) {
    writing(path, () => accessSync(dirname(path), constants.W_OK));
    return undefined;
  }
  try {
    return memorySchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new Failure("format_unknown", `${path} is no file that verify --since wrote`, { cause });
  }
}

function writing(path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw new Failure("file_unwritable", `${path} cannot be written: ${errorMessage(cause)}`, {
      hint: "Name a file in a directory in which you may write: --since FILE",
      cause,
    });
  }
}

function writeMemory(path: string, memory: Memory): void {
  writing(path, () => replaceFile(path, Buffer.from(`${JSON.stringify(memory, null, 2)}\n`), 0o644));
}

function receiptLines(
  report: Report,
  { receipt, since }: { readonly receipt: string; readonly since: string | undefined },
  { receipt: found, newest }: Progress,
  firstSeenAt: string,
): string[] {
  report.check(LOG.entry_missing, LOG_SUBJECT, found !== null, () => ({
    expected: `an entry with the telemetry id ${receipt}`,
    saw: `none among ${newest.checkpoint.size} entries`,
  }));
  if (found === null) return [];
  const remembered =
    since === undefined
      ? "Nobody remembers when: with --since FILE the next run can say when this machine saw the log first."
      : `This machine saw the log first on ${firstSeenAt} (${printable(since)}).`;
  return [
    `The receipt ${printable(receipt)} is entry ${found.index} of this log, counted from 0:`,
    `  ${printable(found.text, found.text.length)}`,
    "The entry hashes into the root that the operator signed, so the operator cannot change or remove it without being noticed.",
    remembered,
  ];
}
