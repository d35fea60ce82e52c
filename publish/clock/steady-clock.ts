/**
 * The clock that a publisher publishes with (docs/spec/publishing.md#moved-clock). It is the host's wall clock until that
 * one moves against the monotonic clock; then it goes on by its own count until the host's clock can be trusted again.
 */
import { type Clock, MOVE_ALLOWANCE_MS } from "./clock.ts";

/** A clock that has moved is trusted again once it has not moved for this long (ms). */
export const STEADY_MS = 60_000;
/** Two clocks agree if they differ by no more (ms). */
const AGREED_MS = 2_000;

/** The result of a look at the clocks. `byMs`: how far the host's clock is ahead of this one (negative: behind). */
export type ClockMove =
  | { readonly kind: "moved"; readonly byMs: number }
  /** The host's clock is again where it was. */
  | { readonly kind: "returned" }
  /** From now on this clock is the host's again. */
  | { readonly kind: "accepted"; readonly byMs: number; readonly because: "steady" | "store" };

export class SteadyClock implements Clock {
  readonly #host: Clock;
  /** How far the host's wall clock was ahead of the monotonic one when it was last trusted (ms). */
  #trusted: number;
  /** While the host's clock is not trusted: where it was at the last look, and since when it has been there. */
  #moved: { readonly apart: number; readonly since: number } | undefined;
  #moves = 0;
  #aheadOfStore: () => number | undefined = () => undefined;

  constructor(host: Clock) {
    this.#host = host;
    this.#trusted = this.#apart;
  }

  /** Epoch ms. */
  wall(): number {
    return this.#isTrusted ? this.#host.wall() : Math.round(this.#host.monotonic() + this.#trusted);
  }

  monotonic(): number {
    return this.#host.monotonic();
  }

  hostWall(): number {
    return this.#host.wall();
  }

  /** How often the host's clock has moved since the start. */
  get moves(): number {
    return this.#moves;
  }

  /** `aheadOfStore`: how far the host's own clock is ahead of the store's (ms); undefined if that is not known. */
  compareWith(aheadOfStore: () => number | undefined): void {
    this.#aheadOfStore = aheadOfStore;
  }

  /** To be called once a second. Says what has changed since the last call; undefined if nothing has. */
  look(): ClockMove | undefined {
    const apart = this.#apart;
    const now = this.monotonic();
    const byMs = Math.round(apart - this.#trusted);
    if (Math.abs(byMs) <= MOVE_ALLOWANCE_MS) {
      const hasReturned = this.#moved !== undefined;
      this.#moved = undefined;
      this.#trusted = apart;
      return hasReturned ? { kind: "returned" } : undefined;
    }
    const isNew = this.#moved === undefined || Math.abs(apart - this.#moved.apart) > MOVE_ALLOWANCE_MS;
    this.#moved = { apart, since: isNew ? now : (this.#moved?.since ?? now) };
    if (isNew) this.#moves++;
    const ahead = this.#aheadOfStore();
    const agrees = ahead !== undefined && Math.abs(ahead) <= AGREED_MS;
    if (!agrees && now - this.#moved.since < STEADY_MS) return isNew ? { kind: "moved", byMs } : undefined;
    this.#moved = undefined;
    this.#trusted = apart;
    return { kind: "accepted", byMs, because: agrees ? "store" : "steady" };
  }

  get #isTrusted(): boolean {
    return this.#moved === undefined && Math.abs(this.#apart - this.#trusted) <= MOVE_ALLOWANCE_MS;
  }

  get #apart(): number {
    return this.#host.wall() - this.#host.monotonic();
  }
}
