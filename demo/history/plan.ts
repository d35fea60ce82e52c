/** The plan of a demo: the same plan gives the same history, byte for byte. */
import { ROUND_MS } from "../../src/values/round.ts";
import { DAY, DAYS, HOUR, type Story, storyFrom } from "./story.ts";

export const DEMO_INSTALLATION = "wheel-1";
export const DEMO_SEED = 20_261_120;

/** One line of docs/spec/intake.md#records's NDJSON. */
export type DemoRecord = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Plan {
  readonly seed: number;
  readonly installationId: string;
  /** Epoch ms of the history's first instant, the start of round 0. */
  readonly genesisMs: number;
  readonly from: number;
  /** The first dawn at or after `from`. */
  readonly dawn: number;
  readonly story: Story;
  readonly workPerBlock: number;
  /** Milliseconds between two receipts. */
  readonly historyStep: number;
  readonly liveStep: number;
  /** Rounds that wait before a batch is prepared; never more than 16 go into one. */
  readonly historyBatch: number;
  readonly liveBatch: number;
  /** Milliseconds between two runs of the Reporter. */
  readonly runStep: number;
}

/**
 * The plan of a whole history that ends at `end` (epoch ms): the wheel's day is shifted so that `end` is five hours after
 * dawn.
 */
export function planOf(seed: number, installationId: string, end: number): Plan {
  const from = Math.floor((end - DAYS * DAY) / ROUND_MS) * ROUND_MS;
  return planFrom(seed, installationId, from, Math.floor((end - 5 * HOUR) / HOUR) * HOUR);
}

/** The plan of a history that has begun before; `someDawn` is any instant of dawn (epoch ms). */
export function planFrom(seed: number, installationId: string, from: number, someDawn: number): Plan {
  const dawn = someDawn - Math.floor((someDawn - from) / DAY) * DAY;
  return {
    seed,
    installationId,
    genesisMs: from,
    from,
    dawn,
    story: storyFrom(dawn),
    workPerBlock: 1_000,
    historyStep: 30_000,
    liveStep: 3_000,
    historyBatch: 16,
    liveBatch: 1,
    runStep: 300_000,
  };
}

export function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** True if an instant of the story is after the last tick, up to and including this one. */
export function isDue(instant: number, lastTick: number, at: number): boolean {
  return instant > lastTick && instant <= at;
}
