/** The plan of a demo. The same plan always gives the same history, byte for byte. */
import { ROUND_MS } from "../../src/values/round.ts";
import { DAY, DAYS, HOUR, type Story, storyFrom } from "./story.ts";

export const DEMO_INSTALLATION = "wheel-1";
/** The name of the key that signs a demo's log. */
export const DEMO_LOG_NAME = "demo.example.org";
export const DEMO_SEED = 20_261_120;

/** One NDJSON record of docs/spec/intake.md#records. */
export type DemoRecord = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Plan {
  readonly seed: number;
  readonly installationId: string;
  /** Epoch ms of the start of the history and of round 0. */
  readonly genesisMs: number;
  readonly from: number;
  /** The first dawn at or after `from`. */
  readonly dawn: number;
  readonly story: Story;
  readonly workPerBlock: number;
  /** Milliseconds between two receipts of the history. */
  readonly historyStep: number;
  readonly liveStep: number;
  /** Accepted rounds that must be waiting before a batch is prepared. A batch holds at most 16. */
  readonly historyBatch: number;
  readonly liveBatch: number;
  /** Milliseconds between two Reporter runs. */
  readonly runStep: number;
}

/** Plans a history of thirty days that ends at `end` (epoch ms). Dawn is five hours before `end`. */
export function planOf(seed: number, installationId: string, end: number): Plan {
  const from = Math.floor((end - DAYS * DAY) / ROUND_MS) * ROUND_MS;
  return planFrom(seed, installationId, from, Math.floor((end - 5 * HOUR) / HOUR) * HOUR);
}

/** Plans a history from `from`. `someDawn` is any dawn (epoch ms). */
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

/** True if `instant` is after `lastTick` and not after `at`. */
export function isDue(instant: number, lastTick: number, at: number): boolean {
  return instant > lastTick && instant <= at;
}
