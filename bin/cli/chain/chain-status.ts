/** Reads the data of `noonmark chain status` from the chain's file only. Sends no request to a node. */

import type { ProblemEvent } from "../../../src/chain/poll-event.ts";
import { redactUrl } from "../../../src/chain/rpc/secrets.ts";
import { countEvents } from "../../../src/chain/store/read-events.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { printable, SHOWN_CHARACTERS } from "../../../src/values/printable.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import type { ConfiguredChain } from "./configured-chain.ts";

export interface ChainStatus {
  readonly target: string;
  readonly chainId: number;
  readonly core: string;
  readonly rpc: readonly string[];
  readonly events: number;
  readonly storedThroughBlock: string | null;
  readonly indexedThroughBlock: string | null;
  readonly lastGoodPassAt: string | null;
  readonly lastGoodPassAgeSeconds: number | null;
  /** `available`, or the reason that readers see after the grace period. */
  readonly views: { readonly core: string; readonly economy: string };
  /** The name of the failing check, or a node's fault. Public bodies never contain it. */
  readonly problem: (ProblemEvent & { readonly since: string }) | null;
}

/** `now` is in epoch ms. */
export function chainStatus({ chain, deployment, rpcUrls }: ConfiguredChain, now: number): ChainStatus {
  const { stored, indexedThroughBlock, lastGoodPassAt, problem } = readSync(chain.db);
  const { core, economy } = chain.state(now);
  return {
    target: deployment.target,
    chainId: deployment.chainId,
    core: deployment.core,
    rpc: rpcUrls.map(redactUrl),
    events: countEvents(chain.db),
    storedThroughBlock: stored === undefined ? null : String(stored.block),
    indexedThroughBlock: indexedThroughBlock === undefined ? null : String(indexedThroughBlock),
    lastGoodPassAt: lastGoodPassAt === undefined ? null : formatTimestamp(lastGoodPassAt),
    lastGoodPassAgeSeconds: lastGoodPassAt === undefined ? null : (now - lastGoodPassAt) / 1000,
    views: {
      core: core.status === "available" ? "available" : core.reason,
      economy: economy.status === "available" ? "available" : economy.reason,
    },
    problem: problem === undefined ? null : { ...problem.event, since: formatTimestamp(problem.since) },
  };
}

export function printChainStatus(status: ChainStatus): void {
  const age = status.lastGoodPassAgeSeconds;
  const lines: readonly (readonly [string, string])[] = [
    ["chain", `${status.target} (${status.chainId}), Core ${status.core}`],
    ["rpc", status.rpc.join(", ") || "not set"],
    ["stored", `${status.events} events through block ${status.storedThroughBlock ?? "none"}`],
    ["indexed", `head ${status.indexedThroughBlock ?? "none"}`],
    ["good pass", status.lastGoodPassAt === null ? "none" : `${status.lastGoodPassAt} (${age?.toFixed(1)} s ago)`],
    ["views", `core ${status.views.core}, economy ${status.views.economy}`],
    ["problem", status.problem === null ? "none" : problemLine(status.problem)],
  ];
  for (const [name, text] of lines) console.log(`${name.padEnd(11)} ${text}`);
}

function problemLine(problem: NonNullable<ChainStatus["problem"]>): string {
  const kind = problem.type.replace("_", " ");
  const found = "check" in problem ? `${problem.check}: ${problem.detail}` : undefined;
  const what = problem.type === "failed" ? problem.message : `${kind}: ${found ?? problem.detail}`;
  return printable(`${what} (${problem.node}, since ${problem.since})`, 2 * SHOWN_CHARACTERS);
}
