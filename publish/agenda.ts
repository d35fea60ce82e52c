/**
 * When each response is built next (docs/spec/publishing.md#the-cycle): if its inputs have changed or its instant has
 * come, but not before its minimum interval is over. It is only in memory: a new process builds everything once, and puts
 * what differs.
 */
import type { Publication } from "../src/resources/publication.ts";
import type { ReportRow } from "./report.ts";

/** The inputs of a response, as texts that change with them. */
export interface Inputs {
  readonly inputs: string;
  readonly throttledInputs: string;
}

interface Item extends Inputs {
  /** Epoch ms of the last build; 0 for a placeholder, so that the next change need not wait. */
  readonly builtAt: number;
  /** Epoch ms at which it is built again, even if no input has changed. */
  readonly dueAt: number | undefined;
  readonly failure?: ReportRow | undefined;
}

/** A failed response is tried again after this time (ms), or as soon as an input changes. */
const AFTER_FAILURE_MS = 30_000;

export class Agenda {
  /** Between two puts of one key (ms); 0 if puts cost nothing. */
  readonly #minimumPutInterval: number;
  readonly #items = new Map<string, Item>();
  /** Epoch ms until which a changed response waits. */
  readonly #waits = new Map<string, number>();

  constructor(minimumPutInterval: number) {
    this.#minimumPutInterval = minimumPutInterval;
  }

  /** The next instant (epoch ms) at which a response is due. */
  next(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#items.values()) next = Math.min(next, dueAt ?? next);
    for (const until of this.#waits.values()) next = Math.min(next, until);
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /**
   * The instant (epoch ms) from which a response may be built: at most `at` if it is due, later if it has changed and
   * must wait. Undefined if nothing has changed. `asOf`: of the published response (epoch ms).
   */
  buildableAt({ key, timing = {} }: Publication, now: Inputs, at: number, asOf: number): number | undefined {
    const { minimumInterval = 0, throttledInterval = 0 } = timing;
    const item = this.#items.get(key);
    if (item === undefined || (item.dueAt !== undefined && item.dueAt <= at)) return at;
    const interval = this.#minimumPutInterval;
    if (now.inputs !== item.inputs) return Math.max(item.builtAt + minimumInterval, asOf + interval);
    if (now.throttledInputs === item.throttledInputs) return undefined;
    return item.builtAt + (interval === 0 ? 0 : throttledInterval);
  }

  built(key: string, inputs: Inputs, builtAt: number, dueAt: number | undefined): void {
    this.#waits.delete(key);
    this.#items.set(key, { ...inputs, builtAt, dueAt });
  }

  /** A changed response may be put from `until` on (epoch ms). */
  wait(key: string, until: number): void {
    this.#waits.set(key, until);
  }

  failed(key: string, inputs: Inputs, at: number, failure: ReportRow | undefined): void {
    this.#waits.delete(key);
    this.#items.set(key, { ...inputs, builtAt: at, dueAt: at + AFTER_FAILURE_MS, failure });
  }

  /** Each response that failed and has not succeeded since, also if this cycle did not try it again. */
  failures(): ReportRow[] {
    return [...this.#items.values()].flatMap(({ failure }) => failure ?? []);
  }

  /** Builds everything again, because the sources were replaced. */
  forget(): void {
    this.#items.clear();
    this.#waits.clear();
  }
}

/** The earlier of two instants; undefined counts as never. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
