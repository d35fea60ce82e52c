/**
 * The saved part of a published body (docs/spec/api.md#settlements-source): available history of the source it is bound to,
 * without the queue projection. The body may come from this publisher's own put or be read back from the store.
 */
import type { ChainBinding } from "../../../chain/chain-state.ts";
import { withoutQueue } from "../answer.ts";

/** `undefined` if there is nothing to save: an unavailable response, or history of another source. */
export function savedForm(
  published: string,
  installationId: string,
  binding: ChainBinding,
  version: "v3" | "v4",
): string | undefined {
  const body = JSON.parse(published) as Record<string, unknown>;
  if (body.status !== "available" || body.installationId !== installationId) return undefined;
  const chain = body.chain as Record<string, unknown> | undefined;
  const economy = body.economy as Record<string, unknown> | undefined;
  // A published body does not name its Core: it is the one that the factory deployed in that block of that chain.
  const isSameSource =
    chain?.target === binding.target &&
    chain.chainId === String(binding.chainId) &&
    chain.deploymentBlock === String(binding.deploymentBlock) &&
    (version === "v3" || economy?.releaseId === binding.releaseId);
  return isSameSource ? JSON.stringify(withoutQueue(body)) : undefined;
}
