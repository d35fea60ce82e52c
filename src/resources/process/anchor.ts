/** The anchor of a published process response (docs/spec/api.md#process), as the safe Core state that it was made from. */
import * as z from "zod";
import type { SafeCoreState } from "../../chain/chain-state.ts";

const quantity = z.string().regex(/^\d+$/).transform(BigInt);

const publishedSchema = z.object({
  builder: z.object({
    anchor: z.object({
      settledThroughRound: quantity,
      cumulativeWork: quantity,
      blockHeight: quantity,
      currentWork: quantity,
      workPerBlock: quantity,
      confirmedAt: z.iso.datetime().nullable(),
      transactionHash: z.string().nullable(),
    }),
  }),
});

/** Undefined where the body has none: its builder is unavailable. */
export function publishedAnchor(body: string): SafeCoreState | undefined {
  const { data } = publishedSchema.safeParse(JSON.parse(body));
  if (data === undefined) return undefined;
  const { confirmedAt, transactionHash, ...state } = data.builder.anchor;
  if (confirmedAt === null || transactionHash === null) return { ...state, lastSettlement: null };
  return { ...state, lastSettlement: { confirmedAt: Date.parse(confirmedAt), transactionHash } };
}
