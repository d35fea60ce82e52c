/**
 * `noonmark verify --log-key`: checks the signed log of a deployment, and that the observations are its receipts
 * (docs/spec/log.md#proof). It reads the log once, entry by entry, so its memory does not grow with the log.
 */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { type Log, openLog } from "../../client/log.ts";
import { replaceFile } from "../../files/write-all.ts";
import { publicationStatusSchema } from "../../resources/publication-status/contract.ts";
import { Failure } from "../../values/failure.ts";
import { printable } from "../../values/printable.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { errorMessage } from "../../values/unknown.ts";
import { cutOff } from "../connection.ts";
import { jsonOf, seenReply, type Transport } from "../exchange.ts";
import type { Report } from "../report.ts";
import { skipRest } from "../verify.ts";
import { findingsOf, type LaggedCheck, type LogCheck, THE_LOG } from "./check.ts";
import { compareWithObservations, type Progress, Walks } from "./observations.ts";
import { replay } from "./replay.ts";

/** Telemetry and observations are put within this time after the checkpoint, and caches keep them for a few seconds. */
const LAG_MS = 15_000;

/**
 * Returns lines for people. A run that is cut off keeps its findings. Throws `Failure` log_key_invalid, format_unknown or
 * file_unwritable, and `NoResponse`.
 */
export async function verifyLog(report: Report, check: LogCheck, send: Transport): Promise<readonly string[]> {
  const { since, signal, lagMs = LAG_MS } = check;
  const lines: string[] = [];
  let left = "the log";
  try {
    if (!(await isSigned(report, send))) return [];
    const lagged = { ...check, lagMs };
    lines.push(...(await checkLog(report, lagged)));
    left = "the replay";
    if (check.replay === true) lines.push(...((await findingsOf(report, () => replay(report, lagged, send))) ?? []));
  } catch (error) {
    if (!signal.aborted) throw error;
    const goesOn = since === undefined || left !== "the log" ? "" : `; the next run with ${since} goes on there`;
    skipRest(report, cutOff(signal).message, `${left}${goesOn}`);
  }
  return lines;
}

async function isSigned(report: Report, send: Transport): Promise<boolean> {
  const reply = await send({ method: "GET", target: "/status.json", headers: {} });
  const { data } = publicationStatusSchema.safeParse(jsonOf(reply));
  const log = data?.log ?? null;
  const isPublic = log !== null && log.origin !== null;
  const seen = data === undefined ? `${seenReply(reply)}, not a status` : "a log that is not public";
  report.on("GET /status.json")("log/log_unsigned", isPublic, "the origin of a signed log", seen);
  return isPublic;
}

/** The content of the file of `--since`. */
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

/** Returns what the log proved. A run that is cut off remembers how far it came. */
async function checkLog(report: Report, check: LaggedCheck): Promise<readonly string[]> {
  const { since, receipt, signal } = check;
  const memory = since === undefined ? undefined : readMemory(since);
  const opened = await findingsOf(report, () => openRemembered(check, memory));
  if (opened === undefined) return [];
  const walks = new Walks(check, memory?.checked ?? {});
  const progress: Progress = { newest: opened, compared: memory?.compared ?? 0, receipt: null };
  const now = formatTimestamp(Date.now());
  const firstSeenAt = memory?.firstSeenAt ?? now;
  const remember = () => {
    const { newest, compared } = progress;
    const remembered = { ...newest.checkpoint, compared, firstSeenAt, seenAt: now, checked: walks.positions() };
    if (since !== undefined) writeMemory(since, { schemaVersion: 1, ...remembered });
  };
  try {
    await findingsOf(report, () => compareWithObservations(report, walks, progress, check));
  } catch (error) {
    if (signal.aborted) remember();
    throw error;
  }
  if (report.findings.some(({ rule }) => rule.startsWith("log/"))) return [];
  remember();
  // The log may have grown meanwhile, and what it has now was compared.
  const { origin, size, root } = progress.newest.checkpoint;
  const lines = [`The log ${origin} has ${size} entries with the root ${root}, and the key signed it.`];
  if (memory !== undefined)
    lines.push(`It still begins with the ${memory.size} entries that it had on ${memory.seenAt}.`);
  return receipt === undefined ? lines : [...lines, ...receiptLines(report, check, progress, firstSeenAt)];
}

function openRemembered({ base, keys, signal }: LaggedCheck, memory: Memory | undefined): Promise<Log> {
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
    throw new Failure("format_unknown", `${path} is no file in which verify remembers a log`, { cause });
  }
}

function writeMemory(path: string, memory: Memory): void {
  writing(path, () => replaceFile(path, Buffer.from(`${JSON.stringify(memory, null, 2)}\n`), 0o644));
}

function writing(path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw new Failure("file_unwritable", `${path} cannot be written: ${errorMessage(cause)}`, {
      hint: "Name a file in a directory in which you may write.",
      cause,
    });
  }
}

function receiptLines(
  report: Report,
  { receipt = "", since }: LogCheck,
  { receipt: found, newest }: Progress,
  firstSeenAt: string,
): string[] {
  const seen = `none among ${newest.checkpoint.size} entries`;
  report.on(THE_LOG)("log/entry_missing", found !== null, `an entry with the telemetry id ${receipt}`, seen);
  if (found === null) return [];
  const remembered =
    since === undefined
      ? "No file remembers when this machine saw the log first."
      : `This machine saw the log first on ${firstSeenAt} (${printable(since)}).`;
  return [
    `The receipt ${printable(receipt)} is entry ${found.index} of this log, counted from 0:`,
    `  ${printable(found.text, found.text.length)}`,
    "The entry hashes into the root that the operator signed, so the operator cannot change or remove it without being noticed.",
    remembered,
  ];
}
