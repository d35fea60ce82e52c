/** Opens the configured chain. `chain.ts` loads this file and viem only if a chain is configured. */
import { join } from "node:path";
import { readDeployment } from "../../../src/chain/deployment.ts";
import { type OpenChain, openChain } from "../../../src/chain/open-chain.ts";
import type { PollEvent } from "../../../src/chain/poll-event.ts";
import type { RpcOutcome } from "../../../src/chain/rpc/rpc-node.ts";
import { CHAIN_FILE } from "../../../src/chain/store/schema.ts";
import { Failure } from "../../../src/values/failure.ts";
import type { Settings } from "../settings/settings.ts";

export interface ChainUse {
  /** Epoch ms; for `--at`, a clock that was set to that instant at the start (`instantClock`). */
  readonly now: () => number;
  readonly onEvent?: (event: PollEvent) => void;
  /** Called for each HTTP request to a node. */
  readonly onRequest?: (outcome: RpcOutcome) => void;
}

/**
 * Time without a good pass before the chain's views are unavailable. It covers about three passes, so that one silent node or one slow
 * request takes nothing from readers.
 */
const CHAIN_GRACE_MS = 15_000;

/** Settings of a publisher with a chain. */
export type WithChain = Settings & { readonly deployment: string; readonly rpcUrl: string };

/** `statePath` is the chain's file, by default the publisher's own. Throws `Failure`. */
export function openConfiguredChain(
  settings: WithChain,
  use: ChainUse,
  statePath = join(settings.state, CHAIN_FILE),
): OpenChain {
  const rpcUrls = rpcAddresses(settings.rpcUrl);
  const genesis = settings.genesisTimestamp;
  return openChain({
    deployment: readDeployment(settings.deployment),
    rpcUrls,
    rpcQuorum: quorumOf(settings, rpcUrls.length),
    statePath,
    grace: CHAIN_GRACE_MS,
    validity: settings.chainMaxAge * 1000,
    now: use.now,
    genesisTimestamp: genesis === undefined ? undefined : BigInt(genesis),
    ...(use.onEvent === undefined ? {} : { onEvent: use.onEvent }),
    onRequest: use.onRequest,
  });
}

/** Throws `Failure` if the quorum exceeds the number of nodes. */
function quorumOf({ rpcQuorum }: WithChain, nodes: number): number {
  if (rpcQuorum <= nodes) return rpcQuorum;
  const addresses = nodes === 1 ? "1 address" : `${nodes} addresses`;
  throw new Failure("invalid_setting", `rpcQuorum ${rpcQuorum} is more than the ${addresses} of rpcUrl`, {
    hint: "Name more nodes in rpcUrl, separated by commas, or lower rpcQuorum (docs/nodes.md#quorum).",
  });
}

/** Splits `a, b` into addresses, in order of preference. The schema has checked each. */
function rpcAddresses(text: string): string[] {
  return text.split(",").map((address) => address.trim());
}
