/**
 * `noonmark verify --log-key`: checks the signed log of a deployment, and that the observations are its receipts
 * (docs/spec/log.md#proof). It reads the log once, entry by entry, so its memory does not grow with the log.
 */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { type Client, createClient } from "../../../src/client/create-client.ts";
import { type Log, NoonmarkError, openLog } from "../../../src/client/log.ts";
import { replaceFile } from "../../../src/files/write-all.ts";
import { NoResponse } from "../../../src/judge/exchange.ts";
import { family, type Report, type Rule, type Subject } from "../../../src/judge/report.ts";
import { observationSchema } from "../../../src/resources/observations/contract.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { errorMessage, fieldsOf, rootMessage } from "../../../src/values/unknown.ts";

export const LOG = family(
  "log",
  {
    log_unsigned: ["the checkpoint has a valid signature of the given key", "ask the operator for the verifier key"],
    log_malformed: ["every file of the log has its form", "compare the stored files with docs/spec/log.md#files"],
    log_incomplete: ["every file that the checkpoint needs can be read", "run noonmark publish --once --force"],
    log_damaged: ["every tile and entry hashes into the signed root", "run noonmark publish --once --force"],
    log_rewritten: [
      "the log still begins with all entries that it had before",
      "keep both checkpoints: they prove that the operator has changed published facts",
    ],
    log_restarted: [
      "the log has the name and number that it had before",
      "ask the operator why; to go on with the new log, name another file",
    ],
    entry_missing: [
      "each receipt of the log is an observation, and each observation is an entry of the log",
      "publish from the ledger that was published before",
    ],
    log_not_replayable: ["each entry is a record that intake accepts", "use the version of Noonmark that published"],
    replayed: ["the served body is the one that the log gives", "publish from the ledger whose log is published"],
    reconciled: [
      "each batch that the chain has settled has the work of its rounds in the log",
      "compare the rounds of the log with those that the Reporter settled",
    ],
  },
  "docs/spec/log.md#proof",
);

export const LOG_SUBJECT: Subject = { name: "the log", spec: "docs/spec/log.md#proof" };

export interface LogCheck {
  readonly base: URL;
  readonly keys: readonly string[];
  /** The number of the log. */
  readonly number: number;
  /** The file that remembers the log from one run to the next. */
  readonly since: string | undefined;
  /** The telemetry id of a receipt that is looked up. */
  readonly receipt: string | undefined;
  /** Nodes of the reader, with which the chain's views are computed again; undefined without. */
  readonly rpcUrls: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** How long an entry may be committed before it is an observation, and a served body be older than the status (ms). */
  readonly lagMs: number;
  /** Called now and then. */
  onProgress(entries: number, of: number): void;
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
 * log_key_invalid, log_memory_unreadable or file_unwritable, `NoResponse`, and `NoonmarkError` aborted.
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
    await codesAsFindings(report, () => compareWithObservations(report, progress, { ...check, walks }));
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

/**
 * Runs a step of the check. A fault of the log becomes a finding with its code, and undefined is returned. Throws `Failure`
 * log_key_invalid, `NoResponse`, and `NoonmarkError` aborted.
 */
export async function codesAsFindings<T>(report: Report, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NoonmarkError || error instanceof Failure)) throw error;
    const message = errorMessage(error).replace(`${error.code}: `, "");
    const rule = error.code in LOG ? LOG[error.code as keyof typeof LOG] : ruleOf(error, message);
    report.check(rule, LOG_SUBJECT, false, () => ({ expected: rule.says, saw: message }));
    return undefined;
  }
}

const KEY_HINT = "Give the verifier key, NAME+ID+DATA, in quotes. Its operator prints it: noonmark key show FILE";

/** Returns the rule of a request that failed. */
function ruleOf(error: NoonmarkError | Failure, message: string): Rule {
  if (error instanceof Failure || error.code === "aborted") throw error;
  if (error.code === "log_key_invalid") {
    throw new Failure("log_key_invalid", message, { hint: KEY_HINT, cause: error });
  }
  if (error.code === "network") throw new NoResponse(`${message}: ${rootMessage(error)}`);
  return LOG.log_incomplete;
}

function openRemembered({ base, keys, number, signal }: LogCheck, memory: Memory | undefined): Promise<Log> {
  const since = memory && { origin: memory.origin, size: memory.size, root: memory.root };
  return openLog({ baseUrl: base, key: keys, number, since, signal });
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
    throw new Failure("log_memory_unreadable", `${path} is no file that verify --since wrote`, { cause });
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

interface FoundReceipt {
  readonly index: number;
  readonly text: string;
}

interface Progress {
  /** The log whose entries are compared. */
  newest: Log;
  /** The first entries, as many as were compared. */
  compared: number;
  /** The receipt that is looked up; null until it is found. */
  receipt: FoundReceipt | null;
}

/** A record of the log. Its other fields are compared with those of the observation. */
interface Fact {
  readonly type?: unknown;
  readonly installationId?: unknown;
  readonly telemetryId?: unknown;
}

interface Comparison extends LogCheck {
  readonly walks: Walks;
}

/**
 * Compares the receipts of the log with the observations, one by one: receipt k of an installation is its observation k. The log
 * is put first, so an observation that was seen beyond a checkpoint is in every checkpoint that is served once the lag is over.
 */
async function compareWithObservations(report: Report, progress: Progress, comparison: Comparison): Promise<void> {
  const { walks, receipt, lagMs, onProgress } = comparison;
  // The receipt that is looked up may be older than the remembered checkpoint.
  let from = receipt === undefined ? progress.compared : 0;
  let beyond: readonly Beyond[] | undefined;
  let end = Number.POSITIVE_INFINITY;
  for (;;) {
    const isLast = performance.now() > end;
    // After the last look, the entries of one more checkpoint are compared.
    if (isLast) progress.newest = await reopened(progress.newest, comparison);
    const { size } = progress.newest.checkpoint;
    for await (const { index, text } of progress.newest.entries({ from, to: size })) {
      if (index % PROGRESS_ENTRIES === 0) onProgress(index, size);
      const fact = factOf(index, text);
      const isReceipt = fact.type === "receipt";
      if (isReceipt && fact.telemetryId === receipt) progress.receipt = { index, text };
      if (index < progress.compared) continue;
      if (isReceipt && !(await isObserved(report, index, fact, walks))) return;
      progress.compared = index + 1;
    }
    from = size;
    beyond = beyond === undefined ? await walks.beyond() : beyond.filter((one) => walks.isBeyond(one));
    const [first] = beyond;
    if (first === undefined) return;
    if (isLast) return reportNoEntry(report, first.item);
    if (end === Number.POSITIVE_INFINITY) end = performance.now() + lagMs;
    progress.newest = await grownLog(progress.newest, comparison, end);
  }
}

/** Waits for a checkpoint with more entries until an instant (ms, monotonic). Then it returns the log as it was. */
async function grownLog(log: Log, check: LogCheck, end: number): Promise<Log> {
  while (performance.now() <= end) {
    const grown = await reopened(log, check);
    if (grown.checkpoint.size > log.checkpoint.size) return grown;
    await wait(RETRY_MS, undefined, { signal: check.signal });
  }
  return log;
}

/** Reads the newest checkpoint, which must continue the log. */
function reopened({ checkpoint }: Log, { base, keys, number, signal }: LogCheck): Promise<Log> {
  return openLog({ baseUrl: base, key: keys, number, since: checkpoint, signal });
}

const RETRY_MS = 500;
const PROGRESS_ENTRIES = 4_096;

function reportNoEntry(report: Report, item: Item): void {
  report.check(LOG.entry_missing, LOG_SUBJECT, false, () => ({
    expected: "an entry for each observation",
    saw: `no entry for the receipt ${String(item.telemetryId)} of ${String(item.installationId)}`,
  }));
}

function factOf(index: number, text: string): Fact {
  try {
    const fact: unknown = JSON.parse(text);
    if (typeof fact === "object" && fact !== null && !Array.isArray(fact)) return fact;
  } catch {
    // Reported below.
  }
  throw new Failure("log_not_replayable", `entry ${index} is no record: ${printable(text.slice(0, 100))}`);
}

async function isObserved(report: Report, index: number, fact: Fact, walks: Walks): Promise<boolean> {
  const item = await walks.next(String(fact.installationId));
  const difference = item === undefined ? "the end of the observations" : observationDifference(fieldsOf(fact), item);
  return report.check(LOG.entry_missing, LOG_SUBJECT, difference === undefined, () => ({
    expected: `the receipt ${String(fact.telemetryId)} of ${String(fact.installationId)}, which is entry ${index}`,
    saw: difference ?? "",
  }));
}

const FIELDS = Object.keys(observationSchema.shape);

/** Returns how an observation differs from a receipt of the log; undefined if all of its fields are the receipt's. */
function observationDifference(fact: Readonly<Record<string, unknown>>, item: Item): string | undefined {
  if (item.telemetryId !== fact.telemetryId) return `the receipt ${printable(String(item.telemetryId))}`;
  const names = new Set([...FIELDS, ...Object.keys(item)]);
  const name = [...names].find((one) => one !== "cursor" && item[one] !== fact[one]);
  if (name === undefined) return undefined;
  const valueOf = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
  return `the same receipt with ${valueOf(item[name])} as ${printable(name)}, where the entry has ${valueOf(fact[name])}`;
}

type Item = Readonly<Record<string, unknown>> & { readonly cursor: string };

/** An observation that no entry was compared with. */
interface Beyond {
  readonly installationId: string;
  /** How many receipts of the installation come before it. */
  readonly receipts: number;
  readonly item: Item;
}

/** Walks through the observations of all installations, each in its order. */
class Walks {
  readonly #client: Client;
  readonly #checked: Memory["checked"];
  readonly #signal: AbortSignal;
  readonly #lagMs: number;
  readonly #walks = new Map<string, { items: AsyncIterator<Item>; cursor: string | undefined; receipts: number }>();

  constructor(client: Client, checked: Memory["checked"], { signal, lagMs }: LogCheck) {
    this.#client = client;
    this.#checked = checked;
    this.#signal = signal;
    this.#lagMs = lagMs;
  }

  /** Returns the next observation, and waits for it for some time. Undefined at the end. */
  async next(id: string): Promise<Item | undefined> {
    const walk = this.#walkOf(id);
    const end = performance.now() + this.#lagMs;
    for (;;) {
      const { done, value } = await walk.items.next();
      if (done !== true) {
        walk.cursor = value.cursor;
        walk.receipts++;
        return value;
      }
      if (performance.now() > end) return undefined;
      await wait(RETRY_MS, undefined, { signal: this.#signal });
      walk.items = this.#itemsAfter(id, walk.cursor);
    }
  }

  /** Returns the next observation of each installation that this run or an earlier one has walked through, without going on. */
  async beyond(): Promise<Beyond[]> {
    const found: Beyond[] = [];
    for (const id of new Set([...this.#walks.keys(), ...Object.keys(this.#checked)])) {
      const walk = this.#walkOf(id);
      const { done, value } = await this.#itemsAfter(id, walk.cursor).next();
      walk.items = this.#itemsAfter(id, walk.cursor);
      if (done !== true) found.push({ installationId: id, receipts: walk.receipts, item: value });
    }
    return found;
  }

  /** True while no entry was compared with the observation. */
  isBeyond({ installationId, receipts }: Beyond): boolean {
    return this.#walkOf(installationId).receipts === receipts;
  }

  positions(): Memory["checked"] {
    const walked = [...this.#walks].map(([id, { cursor = null, receipts }]) => [id, { receipts, cursor }] as const);
    return { ...this.#checked, ...Object.fromEntries(walked) };
  }

  #walkOf(id: string) {
    let walk = this.#walks.get(id);
    if (walk === undefined) {
      const { receipts = 0, cursor = null } = this.#checked[id] ?? {};
      walk = { items: this.#itemsAfter(id, cursor ?? undefined), cursor: cursor ?? undefined, receipts };
      this.#walks.set(id, walk);
    }
    return walk;
  }

  #itemsAfter(id: string, after: string | undefined): AsyncIterator<Item> {
    const options = { signal: this.#signal };
    return this.#client.eachObservation(id, { after, limit: 100 }, options);
  }
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
