/** A separate chain for one test: anvil, the deployed contracts, and Noonmark's chain reader with a new database. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DeploymentFile, type WorldOptions } from "../../../demo/chain/deploy.ts";
import type { ChainState } from "../../../src/chain/chain-state.ts";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { type OpenChain, openChain } from "../../../src/chain/open-chain.ts";
import type { PollEvent } from "../../../src/chain/poll-event.ts";
import type { ChainOptions } from "../../../src/chain/sync/poller.ts";
import { type Anvil, deployWorld, startAnvil, type World } from "./world.ts";

/** Seconds: the genesis timestamp of every test chain. */
export const CHAIN_START = 1_766_000_400;

export interface Stage extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly world: World;
}

export async function stage(options: WorldOptions = {}): Promise<Stage> {
  const anvil = await startAnvil({ timestamp: CHAIN_START });
  const world = await deployWorld(anvil.url, { genesisTimestamp: CHAIN_START, ...options });
  return { anvil, world, [Symbol.asyncDispose]: () => anvil.stop() };
}

/** Noonmark's chain reader with a clock that the test controls. */
export interface Reader extends Disposable {
  readonly chain: OpenChain;
  readonly events: PollEvent[];
  readonly path: string;
  /** Epoch ms. Changes only when the test sets it or a retry sleeps. */
  now: number;
  /** Polls once with a deadline of one minute, and returns the state after it. */
  poll(): Promise<ChainState>;
  state(): ChainState;
  /** The status of Core and economy: `available`, or the reason. */
  statuses(): readonly [string, string];
  /** Closes and reopens the database, as a restart does. */
  reopen(): Reader;
}

export interface ReaderOptions extends Partial<Omit<ChainOptions, "now">> {
  /** Path of an existing database. By default a temporary one, removed at the end. */
  readonly path?: string;
  /** The clock's start, epoch ms. */
  readonly begins?: number;
}

export function reader(
  deployment: DeploymentFile | object,
  rpcUrls: readonly string[],
  options: ReaderOptions = {},
): Reader {
  const directory = options.path === undefined ? mkdtempSync(join(tmpdir(), "noonmark-chain-")) : undefined;
  const path = options.path ?? join(directory as string, "chain.db");
  const events: PollEvent[] = [];
  const clock = { now: options.begins ?? CHAIN_START * 1000 };
  const chain = openChain({
    deployment: deploymentSchema.parse(deployment),
    rpcUrls,
    statePath: path,
    grace: 15_000,
    validity: 600_000,
    now: () => clock.now,
    onEvent: (event) => events.push(event),
    // Sleeping advances the test's clock and takes no real time.
    sleep: async (ms) => {
      clock.now += ms;
    },
    random: () => 0.5,
    ...options,
  });
  const self: Reader = {
    chain,
    events,
    path,
    get now() {
      return clock.now;
    },
    set now(now) {
      clock.now = now;
    },
    async poll() {
      await chain.poll(clock.now, clock.now + 60_000);
      return chain.state(clock.now);
    },
    state: () => chain.state(clock.now),
    statuses() {
      const { core, economy } = chain.state(clock.now);
      return [core, economy].map((view) => (view.status === "available" ? "available" : view.reason)) as never;
    },
    reopen() {
      chain.close();
      return reader(deployment, rpcUrls, { ...options, path, begins: clock.now });
    },
    [Symbol.dispose]() {
      chain.close();
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
  return self;
}

/** The Core's view. Throws with the reason if it is unavailable. */
export function coreOf(state: ChainState) {
  if (state.core.status !== "available") throw new Error(`the Core's view is ${state.core.reason}`);
  return state.core.view;
}

export function economyOf(state: ChainState) {
  if (state.economy.status !== "available") throw new Error(`the economy's view is ${state.economy.reason}`);
  return state.economy.view;
}
