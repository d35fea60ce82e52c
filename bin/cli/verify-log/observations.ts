/** Compares the receipts of a log with the observations of all installations, in both directions (docs/spec/log.md#proof). */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../../src/client/create-client.ts";
import { type Log, openLog } from "../../../src/client/log.ts";
import type { Report } from "../../../src/judge/report.ts";
import { observationSchema } from "../../../src/resources/observations/contract.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import { LOG, LOG_SUBJECT } from "./log-rules.ts";

export interface Comparison {
  readonly base: URL;
  readonly keys: readonly string[];
  /** The telemetry id of a receipt that is looked up. */
  readonly receipt: string | undefined;
  readonly signal: AbortSignal;
  /** How long an entry may be committed before it is an observation, and a served body be older than the status (ms). */
  readonly lagMs: number;
  /** Called now and then. */
  onProgress(entries: number, of: number): void;
}

/** By installation: how many receipts were compared, and the cursor of the last one. */
export type Positions = Readonly<Record<string, { readonly receipts: number; readonly cursor: string | null }>>;

interface FoundReceipt {
  readonly index: number;
  readonly text: string;
}

export interface Progress {
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

/**
 * Compares the receipts of the log with the observations, one by one: receipt k of an installation is its observation k. The log
 * is put first. So an observation that no entry matches yet has its entry in every checkpoint that is served after the lag.
 */
export async function compareWithObservations(
  report: Report,
  walks: Walks,
  progress: Progress,
  comparison: Comparison,
): Promise<void> {
  // The receipt that is looked up may be older than the remembered checkpoint.
  const from = comparison.receipt === undefined ? progress.compared : 0;
  if (!(await compareEntries(report, walks, progress, { ...comparison, from }))) return;
  let unmatched = await walks.unmatched();
  const end = performance.now() + comparison.lagMs;
  while (unmatched.length > 0) {
    const before = progress.newest;
    const grown = await grownLog(before, comparison, end);
    progress.newest = grown ?? (await newestLog(before, comparison));
    if (!(await compareEntries(report, walks, progress, { ...comparison, from: before.checkpoint.size }))) return;
    unmatched = unmatched.filter((one) => walks.isUnmatched(one));
    const [first] = unmatched;
    if (grown === undefined && first !== undefined) return reportNoEntry(report, first.item);
  }
}

/** Compares the entries from `from` on up to the checkpoint. Returns false after a finding. */
async function compareEntries(
  report: Report,
  walks: Walks,
  progress: Progress,
  { from, receipt, onProgress }: Comparison & { readonly from: number },
): Promise<boolean> {
  const { size } = progress.newest.checkpoint;
  for await (const { index, text } of progress.newest.entries({ from, to: size })) {
    if (index % PROGRESS_ENTRIES === 0) onProgress(index, size);
    const fact = factOf(index, text);
    const isReceipt = fact.type === "receipt";
    if (isReceipt && fact.telemetryId === receipt) progress.receipt = { index, text };
    if (index < progress.compared) continue;
    if (isReceipt && !(await isObserved(report, index, fact, walks))) return false;
    progress.compared = index + 1;
  }
  return true;
}

/** Waits for a checkpoint with more entries; undefined if there is none until `end` (ms, monotonic). */
async function grownLog(log: Log, comparison: Comparison, end: number): Promise<Log | undefined> {
  while (performance.now() <= end) {
    const newest = await newestLog(log, comparison);
    if (newest.checkpoint.size > log.checkpoint.size) return newest;
    await wait(RETRY_MS, undefined, { signal: comparison.signal });
  }
  return undefined;
}

/** Reads the newest checkpoint, which must continue the log. */
function newestLog({ checkpoint }: Log, { base, keys, signal }: Comparison): Promise<Log> {
  return openLog({ baseUrl: base, key: keys, since: checkpoint, signal });
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
interface Unmatched {
  readonly installationId: string;
  /** How many receipts of the installation come before it. */
  readonly receipts: number;
  readonly item: Item;
}

/** Walks through the observations of all installations, each in its order. */
export class Walks {
  readonly #client: Client;
  readonly #checked: Positions;
  readonly #signal: AbortSignal;
  readonly #lagMs: number;
  readonly #walks = new Map<string, { items: AsyncIterator<Item>; cursor: string | undefined; receipts: number }>();

  constructor(client: Client, checked: Positions, { signal, lagMs }: Comparison) {
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
  async unmatched(): Promise<Unmatched[]> {
    const found: Unmatched[] = [];
    for (const id of new Set([...this.#walks.keys(), ...Object.keys(this.#checked)])) {
      const walk = this.#walkOf(id);
      const { done, value } = await this.#itemsAfter(id, walk.cursor).next();
      walk.items = this.#itemsAfter(id, walk.cursor);
      if (done !== true) found.push({ installationId: id, receipts: walk.receipts, item: value });
    }
    return found;
  }

  /** True while no entry was compared with the observation. */
  isUnmatched({ installationId, receipts }: Unmatched): boolean {
    return this.#walkOf(installationId).receipts === receipts;
  }

  positions(): Positions {
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
