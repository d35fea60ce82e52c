/** The demo's folder, `./.noonmark`: the plan of its history and the configuration of its commands. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { writeLogKey } from "../../bin/cli/log-key.ts";
import { Failure } from "../../src/values/failure.ts";
import { DEMO_INSTALLATION, DEMO_LOG_NAME, DEMO_SEED, type Plan, planFrom, planOf } from "../history/plan.ts";
import { takeLock } from "./running.ts";

const savedDemoSchema = z.strictObject({
  seed: z.number().int(),
  installationId: z.string(),
  /** Epoch ms: start of round 0, any dawn, and end of the history, after which the device is live. */
  from: z.number().int(),
  dawn: z.number().int(),
  historyEnd: z.number().int(),
  /** True if batches are settled on a chain. Never changes after the first start. */
  chain: z.boolean().default(false),
});
type SavedDemo = z.infer<typeof savedDemoSchema>;

export interface Home {
  readonly plan: Plan;
  readonly historyEnd: number;
  readonly ledger: string;
  readonly chain: boolean;
  /** Path of the commands' configuration file. */
  readonly configuration: string;
  /** Writes the configuration file. It sets every setting, so that none of the user's settings apply. Makes the log's key if it is missing. */
  configure(chain?: { readonly deployment: string; readonly rpcUrl: string }): Promise<void>;
  logOf(command: string): string;
  /** Releases the folder's lock. */
  close(): void;
}

export interface HomeOptions {
  readonly fresh: boolean;
  readonly port: number;
  /** Epoch ms. */
  readonly now: number;
  /** True if a new demo gets a chain. */
  readonly chain: boolean;
}

/** Opens or creates the demo's folder. Throws `Failure` if the folder belongs to something else. */
export function openHome(folder: string, { fresh, port, now, chain }: HomeOptions): Home {
  const path = join(folder, "demo.json");
  if (existsSync(folder) && !existsSync(path)) {
    throw new Failure("usage", `${folder} exists but was not created by the demo`, {
      hint: "Name a directory that is new or empty.",
    });
  }
  mkdirSync(folder, { recursive: true });
  let lock = takeLock(join(folder, "demo.lock"));
  if (fresh) {
    rmSync(folder, { recursive: true });
    lock.close();
    mkdirSync(folder);
    lock = takeLock(join(folder, "demo.lock"));
  }
  const saved = existsSync(path) ? readSaved(path) : newDemo(now, chain);
  const { seed, installationId, from, dawn, historyEnd } = saved;
  const plan = planFrom(seed, installationId, from, dawn);
  const configuration = join(folder, "noonmark.json");
  // Paths in the file are relative to it.
  const settings = {
    installationId,
    ledger: "ledger.db",
    store: "public",
    state: "state",
    logKey: "log.key",
    port,
    genesisTimestamp: plan.genesisMs / 1000,
  };
  writeFileSync(path, `${JSON.stringify(saved, null, 2)}\n`);
  return {
    plan,
    historyEnd,
    ledger: join(folder, settings.ledger),
    chain: saved.chain,
    configuration,
    async configure(chain) {
      const key = join(folder, settings.logKey);
      if (!existsSync(key)) await writeLogKey(key, DEMO_LOG_NAME);
      const chainSettings =
        chain === undefined ? {} : { deployment: relative(folder, chain.deployment), rpcUrl: chain.rpcUrl };
      writeFileSync(configuration, `${JSON.stringify({ ...settings, ...chainSettings }, null, 2)}\n`);
    },
    logOf: (command) => join(folder, `${command}.log`),
    close: () => lock.close(),
  };
}

function newDemo(now: number, chain: boolean): SavedDemo {
  const { from, dawn } = planOf(DEMO_SEED, DEMO_INSTALLATION, now);
  return { seed: DEMO_SEED, installationId: DEMO_INSTALLATION, from, dawn, historyEnd: now, chain };
}

function readSaved(path: string): SavedDemo {
  try {
    return savedDemoSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new Failure("demo_failed", `${path} is not a valid demo file`, { cause });
  }
}
