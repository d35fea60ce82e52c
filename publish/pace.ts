/**
 * Decides when each object is planned again: if its inputs have changed or its instant has come, but not before its minimum
 * interval is over (docs/spec/publishing.md#the-cycle). It is only in memory, so a new process plans everything.
 */

import TinyQueue from "tinyqueue";
import type { Publication } from "../src/resources/publication.ts";

/** The inputs of a response, as texts that change with them. */
export interface Inputs {
  readonly inputs: string;
  readonly throttledInputs: string;
}

interface LastBuild extends Inputs {
  /** Epoch ms; 0 for a placeholder, so that the next change need not wait. */
  readonly builtAt: number;
  /** Epoch ms: built again then, although no input has changed. */
  readonly dueAt: number | undefined;
}

/** A failed object is tried again after this time (ms), or as soon as an input changes. */
const AFTER_FAILURE_MS = 30_000;

export class Pace {
  readonly #builds = new Map<string, LastBuild>();
  readonly #dueAt = new DueQueue();
  /** Keys that have changed or failed, and are not put yet. */
  readonly #waiting = new Set<string>();
  readonly #minimumPutInterval: number;
  /** Installation id → epoch ms of its last tile. */
  readonly #tilesPutAt = new Map<string, number>();
  /** Installations with unpublished receipts → epoch ms at which their tiles are put. */
  readonly #tilesDueAt = new DueQueue();
  /** Keys that are due although nothing has changed. */
  readonly #hurried = new Set<string>();
  /** Keys that are read again at an instant (epoch ms), besides their other due times. */
  readonly #rereadAt = new DueQueue();

  /** `minimumPutInterval`: between two puts of one key (ms); 0 if puts cost nothing. */
  constructor(minimumPutInterval: number) {
    this.#minimumPutInterval = minimumPutInterval;
  }

  /** The next instant (epoch ms) at which something is due. */
  nextDue(): number | undefined {
    return earlier(earlier(this.#dueAt.next(), this.#tilesDueAt.next()), this.#rereadAt.next());
  }

  /** The keys that are due at `at` (epoch ms). */
  *due(at: number): Iterable<string> {
    yield* this.#dueAt.due(at);
    yield* this.#rereadAt.due(at);
  }

  /** Schedules a read of the key at `until` (epoch ms); undefined cancels it. */
  reread(key: string, until: number | undefined): void {
    this.#rereadAt.set(key, until);
  }

  /** The installations whose tiles are due at `at` (epoch ms). */
  dueTiles(at: number): ReadonlySet<string> {
    return this.#tilesDueAt.due(at);
  }

  /**
   * The instant (epoch ms) from which a response may be built: at most `at` if it is due, later if it has changed and must
   * wait. Returns undefined if nothing has changed. `putAt`: its last put (epoch ms).
   */
  buildableAt(publication: Publication, now: Inputs, at: number, putAt: number): number | undefined {
    const { key, timing: { minimumInterval = 0, throttledInterval = 0 } = {} } = publication;
    const last = this.#builds.get(key);
    if (last === undefined || (last.dueAt !== undefined && last.dueAt <= at)) return at;
    const interval = this.#minimumPutInterval;
    if (now.inputs !== last.inputs) return Math.max(last.builtAt + minimumInterval, putAt + interval);
    if (now.throttledInputs === last.throttledInputs) return undefined;
    return last.builtAt + (interval === 0 ? 0 : throttledInterval);
  }

  /** The instant (epoch ms) from which the tiles of an installation may be put. */
  tilesAt(installationId: string): number {
    return (this.#tilesPutAt.get(installationId) ?? Number.NEGATIVE_INFINITY) + this.#minimumPutInterval;
  }

  built(key: string, build: LastBuild): void {
    this.#waiting.delete(key);
    this.#hurried.delete(key);
    this.#builds.set(key, build);
    this.#dueAt.set(key, build.dueAt);
  }

  /** Records that a response has changed and may be built from `until` on (epoch ms). */
  wait(key: string, until: number): void {
    const last = this.#builds.get(key);
    const dueAt = earlier(last?.dueAt, until);
    if (last !== undefined) this.#builds.set(key, { ...last, dueAt });
    this.#dueAt.set(key, dueAt);
    this.#waiting.add(key);
    this.#hurried.delete(key);
  }

  /** The instant (epoch ms) from which an object of the index may be put. */
  indexAt(putAt: number): number {
    return putAt + this.#minimumPutInterval;
  }

  /** Records that an object was put that does not become due by itself. */
  rest(key: string): void {
    this.#waiting.delete(key);
    this.#hurried.delete(key);
    this.#dueAt.set(key, undefined);
  }

  failed(key: string, inputs: Inputs, at: number): void {
    this.built(key, { ...inputs, builtAt: at, dueAt: at + AFTER_FAILURE_MS });
    this.#waiting.add(key);
  }

  /** Schedules a response that an earlier process put for its next change at `dueAt` (epoch ms). */
  resume(key: string, dueAt: number): void {
    this.#dueAt.set(key, dueAt);
  }

  /** Makes the next cycle plan the object, changed or not. */
  hurry(key: string, at: number): void {
    this.#builds.delete(key);
    this.#dueAt.set(key, at);
    this.#hurried.add(key);
  }

  /**
   * A cycle at `at` (epoch ms) has ended. What was due and could not be planned is tried again later, as after a failure: its
   * installation is not in the ledger, or the ledger is refused. A hurried key that no plan has (a tile, the index) is due no more.
   */
  ended(at: number): void {
    for (const key of this.#dueAt.due(at)) {
      this.#dueAt.set(key, this.#hurried.has(key) ? undefined : at + AFTER_FAILURE_MS);
    }
    for (const id of this.#tilesDueAt.due(at)) this.#tilesDueAt.set(id, at + AFTER_FAILURE_MS);
    this.#hurried.clear();
  }

  tilesPut(installationId: string, at: number): void {
    this.#tilesPutAt.set(installationId, at);
    this.#tilesDueAt.set(installationId, undefined);
  }

  /** `until` in epoch ms; undefined if nothing waits. */
  tilesWait(installationId: string, until: number | undefined): void {
    this.#tilesDueAt.set(installationId, until);
  }

  /** Makes the next cycle build everything, because the sources were replaced. */
  forget(): void {
    this.#builds.clear();
    this.#dueAt.clear();
    this.#waiting.clear();
  }

  /** Keys that have changed or failed, and are not put yet. */
  waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  waitingTiles(): Iterable<string> {
    return this.#tilesDueAt.keys();
  }
}

/** The earlier of two instants; undefined counts as never. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

interface Entry {
  readonly key: string;
  /** Epoch ms. */
  readonly at: number;
}

/** The heap is rebuilt if its outdated entries outnumber the valid ones by this number. */
const OUTDATED_LIMIT = 64;

/** Keys by due time: a heap that keeps outdated entries until they come up or become too many. */
export class DueQueue {
  readonly #instants = new Map<string, number>();
  /** Keys that are due and have no later instant yet. */
  readonly #due = new Set<string>();
  #heap = heapOf([]);

  /** `at` in epoch ms replaces the key's instant; undefined removes it. */
  set(key: string, at: number | undefined): void {
    if (at !== undefined && this.#instants.get(key) === at) return;
    this.#due.delete(key);
    if (at === undefined) {
      this.#instants.delete(key);
      return;
    }
    this.#instants.set(key, at);
    this.#heap.push({ key, at });
    if (this.#heap.length > 2 * this.#instants.size + OUTDATED_LIMIT) this.#rebuild();
  }

  /** The earliest instant (epoch ms); undefined if there is none. */
  next(): number | undefined {
    let next = this.#first()?.at;
    for (const key of this.#due) next = Math.min(next ?? Number.POSITIVE_INFINITY, this.#instants.get(key) ?? 0);
    return next;
  }

  /** The due keys. Each stays due until it gets another instant. */
  due(at: number): ReadonlySet<string> {
    for (let first = this.#first(); first !== undefined && first.at <= at; first = this.#first()) {
      this.#due.add(first.key);
      this.#heap.pop();
    }
    return this.#due;
  }

  /** Keys that have an instant. */
  keys(): Iterable<string> {
    return this.#instants.keys();
  }

  clear(): void {
    this.#instants.clear();
    this.#due.clear();
    this.#heap = heapOf([]);
  }

  /** The first valid entry; outdated ones before it are removed. */
  #first(): Entry | undefined {
    for (;;) {
      const first = this.#heap.peek();
      if (first === undefined || this.#isValid(first)) return first;
      this.#heap.pop();
    }
  }

  #isValid({ key, at }: Entry): boolean {
    return this.#instants.get(key) === at && !this.#due.has(key);
  }

  #rebuild(): void {
    const entries = [...this.#instants].map(([key, at]) => ({ key, at })).filter((entry) => this.#isValid(entry));
    this.#heap = heapOf(entries);
  }
}

function heapOf(entries: Entry[]): TinyQueue<Entry> {
  return new TinyQueue(entries, (one, other) => one.at - other.at);
}
