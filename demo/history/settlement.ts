/**
 * The settlement of batches. The demo's chain replaces this simulation: a batch is sent two seconds after it was prepared and
 * confirmed two and a half minutes later.
 */
import { hashOf } from "./random.ts";

/** Accepted rounds (previous, new] and the Core's values once they are settled. */
export interface Batch {
  readonly submissionId: string;
  readonly previousSettledThroughRound: number;
  readonly settledThroughRound: number;
  readonly activeRoundCount: number;
  readonly workAdded: number;
  readonly expected: {
    readonly cumulativeWork: number;
    readonly blockHeight: number;
    readonly currentWork: number;
    readonly completedBlockCount: number;
  };
  /** Epoch ms. */
  readonly preparedAt: number;
}

/** Called at every tick until it has a result; instants are epoch ms. */
export interface Settlement {
  /** Once the batch's transaction has been sent. */
  submitted(batch: Batch, at: number): { readonly transactionHash: string; readonly submittedAt: number } | undefined;
  /** Once its settlement is confirmed. */
  confirmedAt(batch: Batch, at: number): number | undefined;
}

const SENT_AFTER = 2_000;
const CONFIRMED_AFTER = 152_000;

export function simulatedSettlement(seed: number): Settlement {
  return {
    submitted({ submissionId, preparedAt }, at) {
      const submittedAt = preparedAt + SENT_AFTER;
      return submittedAt > at ? undefined : { transactionHash: hashOf(seed, "settlement", submissionId), submittedAt };
    },
    confirmedAt({ preparedAt }, at) {
      const confirmedAt = preparedAt + CONFIRMED_AFTER;
      return confirmedAt > at ? undefined : confirmedAt;
    },
  };
}
