/**
 * The settlement of batches, and a simulation for demos without a chain. In the simulation a batch is sent two seconds
 * after it is prepared, and confirmed two and a half minutes later.
 */
import { hashOf } from "./random.ts";

/** Accepted rounds (previous, settled] and the Core's expected values after their settlement. */
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

/** Polled at every tick until it returns a result. All instants are epoch ms. */
export interface Settlement {
  /** Undefined until the batch's transaction is sent. */
  submitted(batch: Batch, at: number): { readonly transactionHash: string; readonly submittedAt: number } | undefined;
  /** Undefined until the settlement is confirmed. */
  confirmedAt(batch: Batch, at: number): number | undefined;
}

const SEND_DELAY_MS = 2_000;
const CONFIRM_DELAY_MS = 152_000;

export function simulatedSettlement(seed: number): Settlement {
  return {
    submitted({ submissionId, preparedAt }, at) {
      const submittedAt = preparedAt + SEND_DELAY_MS;
      return submittedAt > at ? undefined : { transactionHash: hashOf(seed, "settlement", submissionId), submittedAt };
    },
    confirmedAt({ preparedAt }, at) {
      const confirmedAt = preparedAt + CONFIRM_DELAY_MS;
      return confirmedAt > at ? undefined : confirmedAt;
    },
  };
}
