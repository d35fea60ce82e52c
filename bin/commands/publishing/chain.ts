/** `noonmark chain`: shows the chain's state, syncs ahead of a publisher, and repairs after a deep reorg. */
import { type Command, InvalidArgumentError } from "commander";
import { isNodeProblem, NODE_PROBLEMS, type PollEvent, type ProblemEvent } from "../../../src/chain/poll-event.ts";
import { rewind } from "../../../src/chain/store/append.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { CONFIRMATIONS } from "../../../src/values/settlement-limits.ts";
import { chainStatus, printChainStatus } from "../../cli/chain/chain-status.ts";
import { type ConfiguredChain, openConfiguredChain } from "../../cli/chain/configured-chain.ts";
import { warn } from "../../cli/messages.ts";
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
  const chain = program.command("chain").description("show, read or rewind the stored data of the settlement chain");
  const status = chain
    .command("status")
    .description("show what is stored of the chain and why a view is unavailable; exit 1 on a mismatch")
    .option("--json", "as one JSON object");
  settingOptions(status, CHAIN_SETTINGS).action(({ json }: { json?: boolean }) => {
    withChain(ofFile(status), (configured) => {
      const found = chainStatus(configured, Date.now());
      if (json === true) console.log(JSON.stringify(found));
      else printChainStatus(found);
      if (found.problem?.type === "mismatch") process.exitCode = EXIT.failed;
    });
  });

  const sync = chain.command("sync").description("read the chain up to its safe block, then end");
  settingOptions(sync, CHAIN_SETTINGS).action(async () => {
    await syncToSafeBlock(loadSettings(sync.opts(), []));
  });

  const back = chain
    .command("rewind")
    .description(`delete the stored data above a block, after a reorg deeper than ${CONFIRMATIONS} blocks`)
    .requiredOption("--to <block>", "the last block to keep", blockArgument);
  settingOptions(back, CHAIN_SETTINGS).action(({ to }: { to: bigint }) => {
    withChain(ofFile(back), ({ chain: { db } }) => {
      const { stored } = readSync(db);
      if (stored === undefined || stored.block <= to) {
        console.log(`nothing above block ${to} is stored`);
        return;
      }
      const { removed, next } = rewind(db, to);
      const read = next === undefined ? "everything is read again" : `block ${next} is read next`;
      console.log(`${removed} events removed; ${read}`);
    });
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
  const configured = openConfiguredChain({ ...settings, ...named }, { now: Date.now, onEvent });
  const { chain } = configured;
  try {
    let before: bigint | undefined;
    do {
      before = readSync(chain.db).stored?.block;
      await chain.poll(Date.now(), Date.now() + POLL_MS);
      // A poll that stored something may be followed by more.
    } while (!chain.concluded() && readSync(chain.db).stored?.block !== before);
    bar.stop();
    if (problem !== undefined) {
      if (!isNodeProblem(problem) || !chain.concluded()) throw failureOf(problem);
      warn({ ...NODE_PROBLEMS[problem.type], message: `${problem.node}: ${problem.detail}` });
    }
    const { stored, indexedThroughBlock } = readSync(chain.db);
    const { core } = chain.state(Date.now());
    if (core.status === "unavailable" && core.reason === "not_yet_safe")
      console.log("not yet safe: nothing to read so far");
    else console.log(`${events} events read; block ${stored?.block} is safe at head ${indexedThroughBlock}`);
  } finally {
    bar.stop();
    chain.close();
  }
}

function failureOf(problem: ProblemEvent): Failure {
  if (problem.type === "disagreement") {
    return new Failure("nodes_disagree", `${problem.node}: ${problem.detail}`);
  }
  if (problem.type === "stalled") {
    return new Failure("head_stands_still", `${problem.node}: ${problem.detail}`);
  }
  return problem.type === "failed"
    ? new Failure("indexer_unavailable", `${problem.node}: ${problem.message}`)
    : new Failure("indexer_mismatch", `${problem.check}: ${problem.detail} (${problem.node})`);
}

function withChain(settings: Settings & { readonly rpcUrl: string }, use: (configured: ConfiguredChain) => void): void {
  const configured = openConfiguredChain(
    { ...settings, deployment: required(settings, "deployment") },
    { now: Date.now },
  );
  try {
    use(configured);
  } finally {
    configured.chain.close();
  }
}

/** Returns the settings of a command that reads the chain's file without a node. */
function ofFile(command: Command): Settings & { readonly rpcUrl: string } {
  const settings = loadSettings(command.opts(), [], { spared: ["rpcUrl"] });
  return { ...settings, rpcUrl: settings.rpcUrl ?? "" };
}

function blockArgument(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("Give a block number.");
  return BigInt(text);
}
