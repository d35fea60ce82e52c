/**
 * Requests one API response repeatedly while a part of the page shows it. A hidden tab requests nothing, and requests
 * at once when it is shown again. Waits grow after failures.
 */
import { pageWaits, waitMs } from "../../../src/values/backoff.ts";

/** The browser functions that a view uses. Tests replace them. */
export interface BrowserEnvironment {
  /** Epoch ms of the server's clock. */
  now(): number;
  /** Returns a number from 0 (included) to 1 (excluded). */
  random(): number;
  /** Calls `call` once after `ms`. Returns a function that cancels this. */
  after(ms: number, call: () => void): () => void;
  isHidden(): boolean;
  /** Calls `call` when the tab is shown or hidden, or the network is back. Returns a function that stops this. */
  onChange(call: () => void): () => void;
}

interface Received<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

export interface Failure {
  /** The API's error code, or `network`, `timeout` or `invalid_response`. */
  readonly code: string;
  readonly retryAfter?: number | undefined;
  /** Epoch ms of the first failed request since the last good one. */
  readonly since: number;
}

export interface ViewState<Body> {
  /** The last good response, kept while later ones fail. */
  readonly body?: Body;
  readonly headers?: Headers;
  /** When that response arrived (epoch ms). */
  readonly receivedAt?: number;
  /** Why there is no newer response. */
  readonly failure?: Failure;
}

export interface ViewOptions<Body> {
  /** Interval in ms. */
  readonly every: number;
  readonly ask: (signal: AbortSignal) => Promise<Received<Body>>;
  /** Describes an error; the view adds `since`. */
  readonly failureOf: (error: unknown) => Omit<Failure, "since">;
}

export class View<Body> {
  state: ViewState<Body> = {};
  readonly #options: ViewOptions<Body>;
  readonly #around: BrowserEnvironment;
  readonly #watchers = new Set<() => void>();
  #end: (() => void) | undefined;
  #callOff: (() => void) | undefined;
  #asking: AbortController | undefined;
  #failures = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ViewOptions<Body>, around: BrowserEnvironment) {
    this.#options = options;
    this.#around = around;
  }

  /** Requests while there is a watcher, and calls `changed` when `state` changes. Returns a function that stops it. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    if (this.#end === undefined) {
      this.#end = this.#around.onChange(() => this.#comeBack());
      this.#comeBack();
    }
    return () => {
      this.#watchers.delete(changed);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  #comeBack(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#around.isHidden() || this.#asking !== undefined) return;
    const rest = this.#askedAt + this.#options.every - this.#around.now();
    // A clock that was set back must not stop the requests.
    this.#schedule(rest > this.#options.every ? 0 : rest);
  }

  #schedule(ms: number): void {
    if (ms <= 0) void this.#ask();
    else this.#callOff = this.#around.after(ms, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    this.#askedAt = this.#around.now();
    try {
      const { body, headers } = await this.#options.ask(asking.signal);
      if (asking.signal.aborted) return;
      this.#failures = 0;
      this.#change({ body, headers, receivedAt: this.#around.now() });
    } catch (error) {
      if (asking.signal.aborted) return;
      this.#failures += 1;
      const since = this.state.failure?.since ?? this.#around.now();
      this.#change({ ...this.state, failure: { ...this.#options.failureOf(error), since } });
    }
    this.#asking = undefined;
    if (this.#end === undefined || this.#around.isHidden()) return;
    const waiting = { every: this.#options.every, failures: this.#failures, ...this.state.failure };
    this.#schedule(delayOf(waiting, this.#around.random()));
  }

  #change(state: ViewState<Body>): void {
    this.state = state;
    for (const changed of this.#watchers) changed();
  }

  #stop(): void {
    this.#end?.();
    this.#end = undefined;
    this.#callOff?.();
    this.#callOff = undefined;
    this.#asking?.abort();
    this.#asking = undefined;
  }
}

interface Waiting {
  /** Milliseconds between two responses. */
  readonly every: number;
  /** Failed requests since the last good one. */
  readonly failures: number;
  /** The server's Retry-After in seconds. */
  readonly retryAfter?: number | undefined;
}

/** Returns the wait in ms; `random` is from 0 to 1. After a failure it is 1.9 times `every` or more. */
export function delayOf({ every, failures, retryAfter = 0 }: Waiting, random: number): number {
  if (failures === 0) return every;
  return waitMs(pageWaits(every), failures, 0.96 + 0.04 * random, retryAfter * 1000);
}
