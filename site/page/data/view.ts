/**
 * One response of the API, requested again and again while some part of the page shows it: not in a hidden tab, less often
 * while it fails, and at once when the reader comes back.
 */

/** The browser's part for a view; tests have one of their own. */
export interface BrowserEnvironment {
  /** Epoch ms as the server counts it. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Calls once after `ms`; returns what calls it off. */
  after(ms: number, call: () => void): () => void;
  isHidden(): boolean;
  /** Called when the tab is shown or hidden, and when the network is back; returns what ends that. */
  onChange(call: () => void): () => void;
}

export interface Answered<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

export interface Failure {
  /** The API's error word, or `network`, `timeout`, `invalid_answer`. */
  readonly code: string;
  readonly retryAfter?: number | undefined;
  /** Epoch ms of the first failed request since the last good one. */
  readonly since: number;
}

export interface ViewState<Body> {
  /** The last good response, which stays while later ones fail. */
  readonly body?: Body;
  readonly headers?: Headers;
  /** When it was given, epoch ms. */
  readonly answeredAt?: number;
  /** Why there is no newer one. */
  readonly failure?: Failure;
}

export interface ViewOptions<Body> {
  /** In ms. */
  readonly every: number;
  readonly ask: (signal: AbortSignal) => Promise<Answered<Body>>;
  /** The meaning of an error; the view adds its `since`. */
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

  /** Asks while at least one watches; `changed` is called after each change of `state`. Returns what ends it. */
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
    // A clock that was set back must not silence the page.
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
      this.#change({ body, headers, answeredAt: this.#around.now() });
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

/** While requests fail no view waits longer than this, so that the device is requested within two minutes all the same. */
const LONGEST_MS = 115_000;
/** Readers who lost the same server shall not come back in step. */
const SPREAD = 0.2;

interface Waiting {
  /** Between two responses, in ms. */
  readonly every: number;
  /** Failed requests since the last good one. */
  readonly failures: number;
  /** Seconds that the server asked for. */
  readonly retryAfter?: number | undefined;
}

/** In ms; `random` is from 0 to 1. Twice as long after each failure, never less than twice `every` while they last. */
export function delayOf({ every, failures, retryAfter = 0 }: Waiting, random: number): number {
  if (failures === 0) return every;
  const longest = Math.max(2 * every, LONGEST_MS);
  const doubled = every * 2 ** Math.min(failures, 10) * (1 + SPREAD * random);
  return Math.max(Math.min(doubled, longest), Math.min(retryAfter * 1000, LONGEST_MS));
}
