/**
 * When each object is planned again: its inputs have moved, or an instant has come; and where puts cost something, not
 * before its minimum interval is over (docs/spec/publishing.md#the-cycle). In memory: a new process plans everything.
 */
import type { Publication } from "../src/resources/publication.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { DueQueue } from "./due/due-queue.ts";

/** What a response was built from, as texts. */
export interface Inputs {
  readonly inputs: string;
  readonly throttledInputs: string;
}

interface LastBuild extends Inputs {
  /** Epoch ms; 0 if nothing good could be built, so that the next news need not wait. */
  readonly builtAt: number;
  /** Built again then, though no input moved. */
  readonly dueAt: number | undefined;
}

/** After a failure: not again before an input moves or this has passed (ms). */
const AFTER_FAILURE_MS = 30_000;

export class Pace {
  readonly #builds = new Map<string, LastBuild>();
  readonly #dueAt = new DueQueue();
  /** Keys of what has moved and may not be put yet, or has failed. */
  readonly #waiting = new Set<string>();
  readonly #minimumPutInterval: number;
  /** Installation id → epoch ms of its last tile. */
  readonly #tilesPutAt = new Map<string, number>();
  /** Installations with receipts that wait → epoch ms at which their tiles are put. */
  readonly #tilesDueAt = new DueQueue();

  /** Keys that are read again at an instant (epoch ms), whatever else they are due for. */
  readonly #rereadAt = new DueQueue();

  /** `minimumPutInterval`: of one key, in ms; the first change is put at once. 0 if puts cost nothing. */
  constructor(minimumPutInterval: number) {
    this.#minimumPutInterval = minimumPutInterval;
  }

  /** The earliest instant (epoch ms) at which something changes by time alone, or has waited long enough. */
  nextDue(): number | undefined {
    return earlier(earlier(this.#dueAt.next(), this.#tilesDueAt.next()), this.#rereadAt.next());
  }

  /** The keys whose instant has come at `at` (epoch ms). */
  *due(at: number): Iterable<string> {
    yield* this.#dueAt.due(at);
    yield* this.#rereadAt.due(at);
  }

  /** Read again at `until` (epoch ms); undefined: no more. */
  reread(key: string, until: number | undefined): void {
    this.#rereadAt.set(key, until);
  }

  /** The installations whose tiles have waited long enough at `at` (epoch ms). */
  dueTiles(at: number): ReadonlySet<string> {
    return this.#tilesDueAt.due(at);
  }

  /**
   * The instant (epoch ms) from which a response may be built: `at` or before if it is due now, later if it has moved and
   * has to wait; undefined if nothing has moved. `putAt`: of its last put.
   */
  buildableAt(publication: Publication, now: Inputs, at: number, putAt: number): number | undefined {
    const { key, minimumInterval = 0, throttledInterval = 0 } = publication;
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
    this.#builds.set(key, build);
    this.#dueAt.set(key, build.dueAt);
  }

  /** It has moved, and is built at `until` (epoch ms). */
  wait(key: string, until: number): void {
    const last = this.#builds.get(key);
    const dueAt = earlier(last?.dueAt, until);
    if (last !== undefined) this.#builds.set(key, { ...last, dueAt });
    this.#dueAt.set(key, dueAt);
    this.#waiting.add(key);
  }

  /** An object of the index, which nothing but a change of names moves: the instant (epoch ms) from which it may be put. */
  indexAt(putAt: number): number {
    return putAt + this.#minimumPutInterval;
  }

  /** It has been put, and is not due by time. */
  rest(key: string): void {
    this.#waiting.delete(key);
    this.#dueAt.set(key, undefined);
  }

  failed(key: string, inputs: Inputs, at: number): void {
    this.built(key, { ...inputs, builtAt: at, dueAt: at + AFTER_FAILURE_MS });
    this.#waiting.add(key);
  }

  /** A response that an earlier process put: built when its next change by time alone has come (epoch ms). */
  resume(key: string, dueAt: number): void {
    this.#dueAt.set(key, dueAt);
  }

  /** Planned by the next cycle, whatever has moved. */
  hurry(key: string, at: number): void {
    this.#builds.delete(key);
    this.#dueAt.set(key, at);
  }

  tilesPut(installationId: string, at: number): void {
    this.#tilesPutAt.set(installationId, at);
    this.#tilesDueAt.set(installationId, undefined);
  }

  tilesWait(installationId: string, until: number): void {
    this.#tilesDueAt.set(installationId, until);
  }

  /** Everything is built again: the sources are others. */
  forget(): void {
    this.#builds.clear();
    this.#dueAt.clear();
    this.#waiting.clear();
  }

  /** The keys of what has moved, or failed, and is not put yet. */
  waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  waitingTiles(): Iterable<string> {
    return this.#tilesDueAt.keys();
  }
}

export function inputsOf(publication: Publication, snapshot: Snapshot): Inputs {
  return { inputs: publication.inputs(snapshot), throttledInputs: publication.throttledInputs?.(snapshot) ?? "" };
}

/** The earlier of two instants, either of which may be none. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
