/**
 * `noonmark demo DIRECTORY`: creates thirty days of a simulated wheel from the package only. It writes only into a new
 * or empty directory, and reads no setting.
 */
import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { anvilBinary } from "../../../demo/chain/anvil.ts";
import {
  DEMO_INSTALLATION,
  DEMO_LOG_NAME,
  DEMO_SEED,
  type DemoRecord,
  type Plan,
  planOf,
} from "../../../demo/history/plan.ts";
import type { Settlement } from "../../../demo/history/settlement.ts";
import { Wheel } from "../../../demo/history/wheel.ts";
import { isDiskFull } from "../../../src/files/disk-full.ts";
import { makeDirectory } from "../../../src/files/make-directory.ts";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { rejectionSentences } from "../../../src/ledger/intake/rejection.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { errorMessage } from "../../../src/values/unknown.ts";
import { writeLogKey } from "../../cli/log-key.ts";
import { print } from "../../cli/messages.ts";
import { DEFAULT_CONFIGURATION, SETTINGS } from "../../cli/settings/settings.ts";

const FACTS = "facts.ndjson";
const KEY_FILE = "log.key";
const CHAIN_FILES = ["chain.json", "deployment.json"];
const NEW_DEMO = "Name a directory that is new or empty: noonmark demo ./demo-2";
const BLOCK_CHARACTERS = 256 * 1024;
const CHAIN_PORT = 8545;
const NO_CHAIN =
  "It has no chain, because anvil is not installed: onchain, settlements and activity are unavailable. For a chain: npm install @foundry-rs/anvil, then name another directory.";

export function registerDemo(program: Command): void {
  program
    .command("demo")
    .argument("<directory>", "a new or empty directory, about 100 MB")
    .addHelpText("after", "\nIf anvil is installed (npm install @foundry-rs/anvil, or on PATH), it has a chain too.")
    .action(makeDemo);
}

async function makeDemo(directory: string): Promise<void> {
  requireEmpty(directory);
  const now = Date.now();
  const plan = planOf(DEMO_SEED, DEMO_INSTALLATION, now);
  const configuration = join(directory, DEFAULT_CONFIGURATION);
  const chain = await makeChain(directory, plan, now);
  await writeLogKey(join(directory, KEY_FILE), DEMO_LOG_NAME);
  writing(configuration, () => writeFileSync(configuration, configurationOf(plan, chain), { flag: "wx" }));
  // Creates all three at the start. Otherwise a publisher with files in its working directory reports a conflict.
  const { state, store } = SETTINGS;
  for (const place of [state, store]) {
    const path = join(directory, place.schema.parse(undefined));
    writing(path, () => makeDirectory(path));
  }
  const accepted = writing(directory, () => writeFacts(directory, new Wheel(plan, { ...chain }).history(now)));
  const option = `--config ${quoted(configuration)}`;
  const lines = [
    `${printable(directory)}: ${accepted} simulated facts of 30 days in ${FACTS}, and in a ledger.`,
    ...(chain === undefined ? [NO_CHAIN] : chainLines(chain, directory)),
    "",
    "Then:",
    `  noonmark publish --once --publish-log ${option}`,
    `  noonmark serve ${option}`,
  ];
  await print(lines);
}

/** Throws `Failure`, exit 2: usage; exit 74: file_unwritable. */
function requireEmpty(directory: string): void {
  if (existsSync(directory) && !statSync(directory).isDirectory()) {
    throw new Failure("usage", `${directory} is not a directory`, { hint: NEW_DEMO });
  }
  writing(directory, () => makeDirectory(directory));
  if (readdirSync(directory).length > 0) {
    throw new Failure("usage", `${directory} is not empty`, { hint: NEW_DEMO });
  }
}

interface SampleChain {
  readonly binary: string;
  readonly settlement: Settlement;
  readonly batches: number;
}

/** Writes thirty days of settlements to `chain.json`, which anvil continues; undefined without anvil. */
async function makeChain(directory: string, plan: Plan, now: number): Promise<SampleChain | undefined> {
  const binary = anvilBinary();
  if (binary === undefined) return undefined;
  const { DemoChain } = await import("../../../demo/chain/demo-chain.ts");
  const chain = await DemoChain.make({ folder: directory, plan, historyEnd: now, now: () => now });
  if (chain === undefined) return undefined;
  await chain.stop();
  return { binary, settlement: chain.settlement, batches: chain.batches };
}

/** anvil restores the state of its newest block only. After a dozen new blocks the safe block's state can be read. */
function chainLines({ binary, batches }: SampleChain, directory: string): string[] {
  const options = `--load-state ${quoted(join(directory, "chain.json"))} --block-time 2 --hardfork cancun --prune-history 1024`;
  return [
    `A sample chain with ${batches} settled batches is in ${CHAIN_FILES.join(" and ")}.`,
    "",
    "First run the chain, in a terminal of its own. Its views are available after half a minute:",
    `  ${quoted(binary)} --host 127.0.0.1 --port ${CHAIN_PORT} --silent ${options}`,
  ];
}

function configurationOf({ installationId, genesisMs }: Plan, chain: SampleChain | undefined): string {
  const ofChain = { deployment: "deployment.json", rpcUrl: `http://127.0.0.1:${CHAIN_PORT}` };
  const ownSettings = { installationId, genesisTimestamp: genesisMs / 1000, logKey: KEY_FILE };
  const settings = { ...ownSettings, ...(chain === undefined ? {} : ofChain) };
  return `// By \`noonmark demo\`. Ledger, store and state are in .noonmark next to this file.\n${JSON.stringify(settings, null, 2)}\n`;
}

/** Writes the facts into a file and a ledger, and returns their number. */
function writeFacts(directory: string, records: Iterable<DemoRecord>): number {
  const path = join(directory, FACTS);
  const file = openSync(path, "wx");
  const ledger = openLedgerForIntake(join(directory, SETTINGS.ledger.schema.parse(undefined)));
  try {
    const intake = new Intake(ledger, {
      onRejected(rejections) {
        throw new Failure(
          "internal_error",
          `${path}, ${rejections.flatMap((one) => rejectionSentences(one)).join("\n")}`,
        );
      },
    });
    let block = "";
    for (const record of records) {
      const line = `${JSON.stringify(record)}\n`;
      intake.write(Buffer.from(line));
      block += line;
      if (block.length < BLOCK_CHARACTERS) continue;
      writeFileSync(file, block);
      block = "";
    }
    writeFileSync(file, block);
    return intake.end().accepted;
  } finally {
    ledger.close();
    closeSync(file);
  }
}

function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (isDiskFull(cause) || cause instanceof Failure) throw cause;
    throw new Failure("file_unwritable", `${path} cannot be written: ${errorMessage(cause)}`, {
      hint: "Name a directory in which you may write: noonmark demo DIRECTORY",
      cause,
    });
  }
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${printable(path).replaceAll("'", "'\\''")}'`;
}
