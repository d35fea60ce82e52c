/** How the chain is opened. */
import type { Deployment } from "./deployment.ts";
import type { PollEvent } from "./poll-event.ts";
import type { RpcLimits, RpcOutcome } from "./rpc/rpc-node.ts";

export interface ChainOptions {
  readonly deployment: Deployment;
  /** In order of preference; at least one. */
  readonly rpcUrls: readonly string[];
  /** So many nodes must agree on what is stored; at most as many as there are addresses. 1 if it is left out. */
  readonly rpcQuorum?: number | undefined;
  /** The chain's own SQLite file. */
  readonly statePath: string;
  /** Milliseconds without a good pass before the views are unavailable (`chainGrace`). */
  readonly grace: number;
  /** Milliseconds for which the views are valid after the last good pass. */
  readonly validity: number;
  /** Epoch ms. */
  readonly now: () => number;
  /** Seconds; a Core that says otherwise is a mismatch. */
  readonly genesisTimestamp?: bigint | undefined;
  /** For the operator's log, progress and status; never for a public body. */
  readonly onEvent?: (event: PollEvent) => void;
  /** Called after each HTTP request to a node. */
  readonly onRequest?: ((outcome: RpcOutcome) => void) | undefined;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly random?: () => number;
  readonly limits?: RpcLimits;
}
