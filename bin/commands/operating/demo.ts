/**
 * `noonmark demo DIRECTORY`: creates thirty days of a simulated wheel from the package only. It writes only into a new
 * or empty directory, and reads no setting.
 */
import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { anvilBinary } from "../../../demo/chain/anvil.ts";
import { DEMO_INSTALLATION, DEMO_LOG_NAME, DEMO_SEED, type Plan, planOf } from "../../../demo/history/plan.ts";
import type { Settlement } from "../../../demo/history/settlement.ts";
import { Wheel } from "../../../demo/history/wheel.ts";
import { isDiskFull } from "../../../src/files/disk-full.ts";
import { makeDirectory } from "../../../src/files/make-directory.ts";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { type Rejection, rejectionSentences } from "../../../src/ledger/intake/rejection.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { errorMessage } from "../../../src/values/unknown.ts";
import { feed } from "../../cli/feed.ts";
import { openInput } from "../../cli/intake/input.ts";
import { writeLogKey } from "../../cli/log-key.ts";
import { print, warn } from "../../cli/messages.ts";
import { intakeProgress } from "../../cli/progress.ts";
import { DEFAULT_CONFIGURATION } from "../../cli/settings/load-settings.ts";
import { environmentName } from "../../cli/settings/setting-names.ts";
import { SETTINGS } from "../../cli/settings/settings.ts";

const FACTS = "facts.ndjson";
const KEY_FILE = "log.key";
const CHAIN_FILES = ["chain.json", "deployment.json"];
const NEW_DEMO = "Name a directory that is new or empty: noonmark demo ./demo-2";
const BLOCK_CHARACTERS = 256 * 1024;
/** Variables override the file. If one of these is set, the next commands would use another place. */
const PLACES = [
  "ledger",
  "store",
  "state",
  "installationId",
  "genesisTimestamp",
  "deployment",
  "rpcUrl",
  "logKey",
] as const;
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
  try {
    await fill(directory);
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause;
    throw new Failure("disk_full", `no space is left for ${directory}: the demo in it is incomplete`, {
      hint: "Free 100 MB of disk space, then name another directory: noonmark demo ./demo-2",
      cause,
    });
  }
  warnOfVariables();
}

async function fill(directory: string): Promise<void> {
  const now = Date.now();
  const plan = planOf(DEMO_SEED, DEMO_INSTALLATION, now);
  const configuration = join(directory, DEFAULT_CONFIGURATION);
  const facts = join(directory, FACTS);
  const chain = await makeChain(directory, plan, now);
  await writeLogKey(join(directory, KEY_FILE), DEMO_LOG_NAME);
  writing(configuration, () => writeFileSync(configuration, configurationOf(plan, chain), { flag: "wx" }));
  writing(facts, () => writeFacts(facts, new Wheel(plan, { ...chain }).history(now)));
  // Creates all three at the start. Otherwise a publisher with files in its working directory reports a conflict.
  const { ledger, state, store } = SETTINGS;
  for (const place of [state, store]) {
    const path = join(directory, place.schema.parse(undefined));
    writing(path, () => makeDirectory(path));
  }
  const accepted = await ingestFacts(facts, join(directory, ledger.schema.parse(undefined)));
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

function writeFacts(path: string, records: Iterable<unknown>): void {
  const file = openSync(path, "wx");
  try {
    let block = "";
    for (const record of records) {
      block += `${JSON.stringify(record)}\n`;
      if (block.length < BLOCK_CHARACTERS) continue;
      writeFileSync(file, block);
      block = "";
    }
    writeFileSync(file, block);
  } finally {
    closeSync(file);
  }
}

/** Ingests the facts like `noonmark ingest`. Returns the number of accepted facts, which must be all. */
async function ingestFacts(facts: string, path: string): Promise<number> {
  const input = await openInput(facts);
  const progress = intakeProgress(process.stderr, input.size);
  const ledger = openLedgerForIntake(path);
  try {
    let reason = "";
    const onRejected = (rejections: readonly Rejection[]) =>
      (reason = rejections.flatMap((rejection) => rejectionSentences(rejection)).join("\n"));
    const intake = new Intake(ledger, { strict: true, onRejected });
    const counts = await feed(input.chunks, intake, (bytes) => progress.advance(bytes, intake.lines));
    if (counts.rejected === 0) return counts.accepted;
    throw new Failure("internal_error", `${facts}, ${reason}`);
  } finally {
    progress.stop();
    ledger.close();
    await input.close();
  }
}

function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    throw new Failure("file_unwritable", `${path} cannot be written: ${errorMessage(cause)}`, {
      hint: "Name a directory in which you may write: noonmark demo DIRECTORY",
      cause,
    });
  }
}

function warnOfVariables(): void {
  const set = PLACES.map(environmentName).filter((name) => (process.env[name] ?? "") !== "");
  if (set.length === 0) return;
  warn({
    code: "variables_set",
    message: `${set.join(", ")}: set, and overrides ${DEFAULT_CONFIGURATION}, so the next commands would use other files`,
    hint: `First: unset ${set.join(" ")}`,
  });
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${printable(path).replaceAll("'", "'\\''")}'`;
}
