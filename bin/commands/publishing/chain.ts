/** `noonmark chain`: syncs ahead of a publisher, and repairs after a deep reorg. */
import { type Command, InvalidArgumentError } from "commander";
import { isNodeProblem, type PollEvent, type ProblemEvent, problemFailure } from "../../../src/chain/poll-event.ts";
import { rewind } from "../../../src/chain/store/append.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { CONFIRMATIONS } from "../../../src/values/settlement-limits.ts";
import { openConfiguredChain } from "../../cli/chain/configured-chain.ts";
import { print, warn } from "../../cli/messages.ts";
import { progressBar, ratePerSecond } from "../../cli/progress.ts";
import { loadSettings, required } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";

const CHAIN_SETTINGS = ["deployment", "rpcUrl", "state", "genesisTimestamp", "chainGrace", "rpcQuorum"] as const;
/** Time limit (ms) of a poll of `chain sync`. Further polls follow while there is more to read. */
const POLL_MS = 60_000;
const SYNC_FORMAT =
  "{bar} {percentage}% | block {block} of {safe} | {events} events | {rate} events/s | {eta_formatted} left";

export function registerChain(program: Command): void {
  const chain = program.command("chain").description("read or rewind the stored data of the settlement chain");
  const sync = chain.command("sync").description("read the chain up to its safe block, then end");
  settingOptions(sync, CHAIN_SETTINGS).action(async () => {
    await syncToSafeBlock(loadSettings(sync.opts(), []));
  });

  const back = chain
    .command("rewind")
    .description(`delete the stored data above a block, after a reorg deeper than ${CONFIRMATIONS} blocks`)
    .requiredOption("--to <block>", "the last block to keep", blockArgument);
  settingOptions(back, CHAIN_SETTINGS).action(async ({ to }: { to: bigint }) => {
    await rewindTo(to, loadSettings(back.opts(), [], { spared: ["rpcUrl"] }));
  });
}

async function syncToSafeBlock(settings: Settings): Promise<void> {
  const bar = progressBar(process.stderr, SYNC_FORMAT);
  const begun = performance.now();
  let events = 0;
  let problem: ProblemEvent | undefined;
  const onEvent = (event: PollEvent): void => {
    if (event.type === "range") {
      events += event.events;
      const figures = {
        block: String(event.through),
        safe: String(event.safe),
        events,
        rate: ratePerSecond(events, begun),
      };
      bar.show(Number(event.through - event.from) + 1, Number(event.safe - event.from) + 1, figures);
    } else if (event.type === "good") problem = undefined;
    else problem = event;
  };
  const named = { deployment: required(settings, "deployment"), rpcUrl: required(settings, "rpcUrl") };
  const chain = openConfiguredChain({ ...settings, ...named }, { now: Date.now, onEvent });
  try {
    let before: bigint | undefined;
    do {
      before = readSync(chain.db).stored?.block;
      await chain.poll(Date.now(), Date.now() + POLL_MS);
      // A poll that stored something may be followed by more.
    } while (!chain.concluded() && readSync(chain.db).stored?.block !== before);
    bar.stop();
    if (problem !== undefined) {
      if (!isNodeProblem(problem) || !chain.concluded()) throw problemFailure(problem);
      warn(problemFailure(problem));
    }
    const { stored, indexedThroughBlock } = readSync(chain.db);
    const { core } = chain.state(Date.now());
    if (core.status === "unavailable" && core.reason === "not_yet_safe")
      await print("not yet safe: nothing to read so far");
    else await print(`${events} events read; block ${stored?.block} is safe at head ${indexedThroughBlock}`);
  } finally {
    bar.stop();
    chain.close();
  }
}

/** Deletes the stored data above the block. Needs no node. */
async function rewindTo(to: bigint, settings: Settings): Promise<void> {
  const deployment = required(settings, "deployment");
  const chain = openConfiguredChain({ ...settings, deployment, rpcUrl: "" }, { now: Date.now });
  try {
    const { stored } = readSync(chain.db);
    if (stored === undefined || stored.block <= to) {
      await print(`nothing above block ${to} is stored`);
      return;
    }
    const { removed, next } = rewind(chain.db, to);
    const read = next === undefined ? "everything is read again" : `block ${next} is read next`;
    await print(`${removed} events removed; ${read}`);
  } finally {
    chain.close();
  }
}

function blockArgument(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("Give a block number.");
  return BigInt(text);
}
