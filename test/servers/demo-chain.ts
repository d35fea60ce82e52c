/** Compares the batches of a running demo's chain and ledger, and checks that every chain view is available. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import type { Hex } from "viem";
import { call } from "../../demo/chain/anvil.ts";
import { callData } from "../../demo/chain/calls.ts";

export interface Confirmed {
  readonly count: number;
  readonly activeRoundCount: number;
  readonly completedBlockCount: number;
  readonly settledThroughRound: string;
  readonly cumulativeWork: string;
  readonly transactionHash: string;
}

/** The confirmed submissions in the ledger of the demo in `folder`. */
export function confirmedIn(folder: string): Confirmed {
  const ledger = new SqliteDatabase(join(folder, "ledger.db"), { readonly: true });
  try {
    return ledger
      .prepare<[], Confirmed>(
        `SELECT count(*) AS count, sum(active_round_count) AS activeRoundCount,
                sum(CAST(expected_completed_block_count AS INTEGER)) AS completedBlockCount,
                ltrim(settled_through_round, '0') AS settledThroughRound, expected_cumulative_work AS cumulativeWork,
                transaction_hash AS transactionHash, max(prepared_at)
           FROM submission WHERE lifecycle = 'confirmed'`,
      )
      .get() as Confirmed;
  } finally {
    ledger.close();
  }
}

/** The Core's frontier and settled work at the node's head. */
export async function coreOnChain(folder: string): Promise<{ settledThroughRound: string; cumulativeWork: string }> {
  const { rpcUrl } = JSON.parse(readFileSync(join(folder, "noonmark.json"), "utf8")) as { rpcUrl: string };
  const { core } = JSON.parse(readFileSync(join(folder, "deployment.json"), "utf8")) as { core: string };
  const read = async (name: string) => {
    const response = await call(rpcUrl, "eth_call", [{ to: core, data: callData("Core", name, []) }, "latest"]);
    return String(BigInt(response as Hex));
  };
  return { settledThroughRound: await read("settledThroughRound"), cumulativeWork: await read("cumulativeWork") };
}
