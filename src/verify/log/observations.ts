/** Compares the receipts of a log with the observations, in both directions (docs/spec/log.md#proof). */
import { setTimeout as wait } from "node:timers/promises";
import { type Client, createClient } from "../../client/create-client.ts";
import { type Log, openLog } from "../../client/log.ts";
import { observationSchema } from "../../resources/observations/contract.ts";
import { Failure } from "../../values/failure.ts";
import { printable } from "../../values/printable.ts";
import { isObject } from "../../values/unknown.ts";
import type { Report } from "../report.ts";
import { type LaggedCheck, PROGRESS_ENTRIES, THE_LOG } from "./check.ts";

/** By installation: how many receipts were compared, and the cursor of the last one. */
type Positions = Readonly<Record<string, { readonly receipts: number; readonly cursor: string | null }>>;

export interface Progress {
  /** The log whose entries are compared. */
  newest: Log;
  /** The first entries, as many as were compared. */
  compared: number;
  /** The receipt that is looked up; null until it is found. */
  receipt: { readonly index: number; readonly text: string } | null;
}

const RETRY_MS = 500;

/**
 * Compares the receipts of the log with the observations, one by one: receipt k of an installation is its observation k.
 * The log is put first. So an observation that no entry matches yet has its entry in every checkpoint that is served
 * after the lag.
 */
export async function compareWithObservations(
  report: Report,
  walks: Walks,
  progress: Progress,
  check: LaggedCheck,
): Promise<void> {
  // The receipt that is looked up may be older than the remembered checkpoint.
  let from = check.receipt === undefined ? progress.compared : 0;
  const compareFrom = (index: number) => compareEntries(report, walks, progress, { ...check, from: index });
  if (!(await compareFrom(from))) return;
  let unmatched = await walks.unmatched();
  const end = performance.now() + check.lagMs;
  while (unmatched.length > 0) {
    from = progress.newest.checkpoint.size;
    const isOver = performance.now() > end;
    const newest = await newestLog(progress.newest, check);
    const hasGrown = newest.checkpoint.size > from;
    progress.newest = newest;
    if (hasGrown && !(await compareFrom(from))) return;
    unmatched = unmatched.filter((one) => walks.isUnmatched(one));
    const [first] = unmatched;
    if (isOver && first !== undefined) {
      const seen = `no entry for the receipt ${String(first.item.telemetryId)} of ${String(first.item.installationId)}`;
      report.on(THE_LOG)("log/entry_missing", false, "an entry for each observation", seen);
      return;
    }
    if (!hasGrown && first !== undefined)
      await wait(Math.min(RETRY_MS, check.lagMs), undefined, { signal: check.signal });
  }
}

/** Compares the entries from `from` on up to the checkpoint. Returns false after a finding. */
async function compareEntries(
  report: Report,
  walks: Walks,
  progress: Progress,
  { from, receipt, onProgress }: LaggedCheck & { readonly from: number },
): Promise<boolean> {
  const { size } = progress.newest.checkpoint;
  for await (const { index, text } of progress.newest.entries({ from, to: size })) {
    if (index % PROGRESS_ENTRIES === 0) onProgress?.(index, size);
    const fact = factOf(index, text);
    const isReceipt = fact.type === "receipt";
    if (isReceipt && fact.telemetryId === receipt) progress.receipt = { index, text };
    if (index < progress.compared) continue;
    if (isReceipt) {
      const item = await walks.next(String(fact.installationId));
      const seen = item === undefined ? "the end of the observations" : differenceOf(fact, item);
      const expected = `the receipt ${String(fact.telemetryId)} of ${String(fact.installationId)}, which is entry ${index}`;
      if (!report.on(THE_LOG)("log/entry_missing", seen === undefined, expected, seen ?? "")) return false;
    }
    progress.compared = index + 1;
  }
  return true;
}

/** Reads the newest checkpoint, which must continue the log. */
function newestLog({ checkpoint }: Log, { base, keys, signal }: LaggedCheck): Promise<Log> {
  return openLog({ baseUrl: base, key: keys, since: checkpoint, signal });
}

function factOf(index: number, text: string): Readonly<Record<string, unknown>> {
  try {
    const fact: unknown = JSON.parse(text);
    if (isObject(fact)) return fact;
  } catch {
    // Reported below.
  }
  throw new Failure("log_not_replayable", `entry ${index} is no record: ${printable(text.slice(0, 100))}`);
}

type Item = Readonly<Record<string, unknown>> & { readonly cursor: string };

const FIELDS = Object.keys(observationSchema.shape);

/** Returns how an observation differs from a receipt of the log; undefined if all of its fields are the receipt's. */
export function differenceOf(fact: Readonly<Record<string, unknown>>, item: Item): string | undefined {
  if (item.telemetryId !== fact.telemetryId) return `the receipt ${String(item.telemetryId)}`;
  const names = new Set([...FIELDS, ...Object.keys(item)]);
  const name = [...names].find((one) => one !== "cursor" && item[one] !== fact[one]);
  if (name === undefined) return undefined;
  const valueOf = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
  return `the same receipt with ${valueOf(item[name])} as ${name}, where the entry has ${valueOf(fact[name])}`;
}

/** An observation that no entry was compared with, and how many receipts of its installation come before it. */
interface Unmatched {
  readonly id: string;
  readonly receipts: number;
  readonly item: Item;
}

interface Walk {
  items: AsyncIterator<Item>;
  cursor: string | undefined;
  receipts: number;
}

/** Walks through the observations of all installations, each in its order. */
export class Walks {
  readonly #client: Client;
  readonly #checked: Positions;
  readonly #check: LaggedCheck;
  readonly #walks = new Map<string, Walk>();

  constructor(check: LaggedCheck, checked: Positions) {
    this.#client = createClient({ baseUrl: check.base });
    this.#checked = checked;
    this.#check = check;
  }

  /** Returns the next observation, and waits for it for some time. Undefined at the end. */
  async next(id: string): Promise<Item | undefined> {
    const walk = this.#walkOf(id);
    const end = performance.now() + this.#check.lagMs;
    for (;;) {
      const { done, value } = await walk.items.next();
      if (done !== true) {
        walk.cursor = value.cursor;
        walk.receipts++;
        return value;
      }
      if (performance.now() > end) return undefined;
      await wait(RETRY_MS, undefined, { signal: this.#check.signal });
      walk.items = this.#itemsAfter(id, walk.cursor);
    }
  }

  /** Returns the next observation of each installation that this run or an earlier one has walked through. */
  async unmatched(): Promise<Unmatched[]> {
    const found: Unmatched[] = [];
    for (const id of new Set([...this.#walks.keys(), ...Object.keys(this.#checked)])) {
      const walk = this.#walkOf(id);
      const { done, value } = await this.#itemsAfter(id, walk.cursor).next();
      walk.items = this.#itemsAfter(id, walk.cursor);
      if (done !== true) found.push({ id, receipts: walk.receipts, item: value });
    }
    return found;
  }

  isUnmatched({ id, receipts }: Unmatched): boolean {
    return this.#walkOf(id).receipts === receipts;
  }

  positions(): Positions {
    const walked = [...this.#walks].map(([id, { cursor = null, receipts }]) => [id, { receipts, cursor }] as const);
    return { ...this.#checked, ...Object.fromEntries(walked) };
  }

  #walkOf(id: string): Walk {
    const known = this.#walks.get(id);
    if (known !== undefined) return known;
    const { receipts, cursor } = this.#checked[id] ?? { receipts: 0, cursor: null };
    const walk = { items: this.#itemsAfter(id, cursor ?? undefined), cursor: cursor ?? undefined, receipts };
    this.#walks.set(id, walk);
    return walk;
  }

  #itemsAfter(id: string, after: string | undefined): AsyncIterator<Item> {
    return this.#client.eachObservation(id, { after, limit: 100 }, { signal: this.#check.signal });
  }
}
