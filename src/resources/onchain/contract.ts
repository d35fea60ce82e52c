/** docs/spec/api.md#onchain */
import type { Contract } from "../contract.ts";
import { onchainSchema } from "./schema.ts";

export const onchainContract = {
  operation: "onchain",
  body: { name: "Onchain", schema: onchainSchema },
  tag: "Chain",
  summary: "The settlement contract's state at a safe height",
  description: "With at most 25 recent events, newest first. It has no generatedAt.",
  rules: [
    "safeThroughBlock = indexedThroughBlock − 11; events lie between the deployment and it, unique and ordered. docs/spec/api.md#onchain 2",
    "Each event's address is the deployment's of its kind; the proxy's identities agree. docs/spec/api.md#onchain 3",
    "blockHeight and currentWork are quotient and remainder of cumulativeWork by workPerBlock; source is the newest event of kind core. docs/spec/api.md#onchain 4",
  ],
} as const satisfies Contract;
