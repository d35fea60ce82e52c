/** Whether a publisher's turns finish: what its `/healthz` says (docs/spec/people.md#metrics). */

export type Phase = "starting" | "standby" | "publishing";

export interface TurnHealthState {
  readonly isWell: boolean;
  readonly phase: Phase;
  /** Since a turn finished, or a standby asked for the lease; since the start before the first. */
  readonly quietSeconds: number;
  /** Why it is not well. */
  readonly reason?: string;
}

/** For a turn itself, and for one that comes late (ms). */
const SLACK_MS = 60_000;

export class TurnHealth {
  readonly #monotonic: () => number;
  #phase: Phase = "starting";
  #quietSince: number;
  /** By when another turn has finished. */
  #dueBy: number;
  #trouble: string | undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#quietSince = monotonic();
    this.#dueBy = this.#quietSince + SLACK_MS;
  }

  /** A turn has finished, or a standby has asked for the lease; the next one comes in `nextInMs`. */
  reached(phase: Phase, nextInMs: number): void {
    this.#phase = phase;
    this.#quietSince = this.#monotonic();
    this.#dueBy = this.#quietSince + nextInMs + SLACK_MS;
    this.#trouble = undefined;
  }

  /** What broke a turn off; it stands until one finishes. */
  failed(error: unknown): void {
    this.#trouble = error instanceof Error ? error.message : String(error);
  }

  state(): TurnHealthState {
    const now = this.#monotonic();
    const quietSeconds = Math.round((now - this.#quietSince) / 100) / 10;
    const about = { phase: this.#phase, quietSeconds };
    const silence = `no turn has finished for ${quietSeconds} s: one was due`;
    const reason = this.#trouble ?? (now > this.#dueBy ? silence : undefined);
    return reason === undefined ? { isWell: true, ...about } : { isWell: false, ...about, reason };
  }
}
