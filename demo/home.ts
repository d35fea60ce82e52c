/** The demo's folder, `./.noonmark`: the plan of its history, and the configuration of its commands. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { EXIT, Failure } from "../src/values/failure.ts";
import { DEMO_INSTALLATION, DEMO_SEED, type Plan, planFrom, planOf } from "./history/plan.ts";
import { takeLock } from "./running.ts";

const memorySchema = z.strictObject({
  seed: z.number().int(),
  installationId: z.string(),
  /** Epoch ms: the start of round 0, any dawn, and the end of the history, where the live device begins. */
  from: z.number().int(),
  dawn: z.number().int(),
  historyEnd: z.number().int(),
  /** True if batches are settled on a chain; it never changes. */
  chain: z.boolean().default(false),
});
type Memory = z.infer<typeof memorySchema>;

export interface Home {
  readonly plan: Plan;
  readonly historyEnd: number;
  readonly ledger: string;
  readonly chain: boolean;
  /** Path of the commands' configuration. */
  readonly configuration: string;
  /** Writes it: every setting, so that none of the user's own counts. */
  configure(chain?: { readonly deployment: string; readonly rpcUrl: string }): void;
  logOf(command: string): string;
  /** Lets another demo have the folder. */
  close(): void;
}

export interface HomeOptions {
  readonly fresh: boolean;
  readonly port: number;
  /** Epoch ms. */
  readonly now: number;
  /** True if a new demo has a chain. */
  readonly chain: boolean;
}

/** Opens the folder of an earlier start, or makes a new one. Throws `Failure` if it is not the demo's. */
export function openHome(folder: string, { fresh, port, now, chain }: HomeOptions): Home {
  const path = join(folder, "demo.json");
  if (existsSync(folder) && !existsSync(path)) {
    throw new Failure("not_the_demo", `${folder} holds something that the demo has not made`, {
      exit: EXIT.usage,
      hint: "Move it away, or start the demo in another checkout.",
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
  const memory = existsSync(path) ? readMemory(path) : begin(now, chain);
  const { seed, installationId, from, dawn, historyEnd } = memory;
  const plan = planFrom(seed, installationId, from, dawn);
  const configuration = join(folder, "noonmark.json");
  // Paths in the file are relative to it.
  const settings = {
    installationId,
    ledger: "ledger.db",
    store: "public",
    state: "state",
    port,
    genesisTimestamp: plan.genesisMs / 1000,
  };
  writeFileSync(path, `${JSON.stringify(memory, null, 2)}\n`);
  return {
    plan,
    historyEnd,
    ledger: join(folder, settings.ledger),
    chain: memory.chain,
    configuration,
    configure(chain) {
      const ofChain = chain === undefined ? {} : { deployment: relative(folder, chain.deployment), rpcUrl: chain.rpcUrl };
      writeFileSync(configuration, `${JSON.stringify({ ...settings, ...ofChain }, null, 2)}\n`);
    },
    logOf: (command) => join(folder, `${command}.log`),
    close: () => lock.close(),
  };
}

function begin(now: number, chain: boolean): Memory {
  const { from, dawn } = planOf(DEMO_SEED, DEMO_INSTALLATION, now);
  return { seed: DEMO_SEED, installationId: DEMO_INSTALLATION, from, dawn, historyEnd: now, chain };
}

function readMemory(path: string): Memory {
  try {
    return memorySchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new Failure("demo_unreadable", `${path} is not what a demo has written`, {
      exit: EXIT.usage,
      hint: "Start again from nothing: npm start -- --fresh",
      cause,
    });
  }
}
