/** A chain of its own for a test: anvil, the contracts on it, and Noonmark's reading of them in a fresh file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Anvil, startAnvil } from "../../../demo/chain/anvil.ts";
import { type DeploymentFile, deployWorld, type World, type WorldOptions } from "../../../demo/chain/deploy.ts";
import type { ChainState } from "../../../src/chain/chain-state.ts";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { type OpenChain, openChain } from "../../../src/chain/open-chain.ts";
import type { PollEvent } from "../../../src/chain/poll-event.ts";
import type { ChainOptions } from "../../../src/chain/sync/poller.ts";

/** Seconds; before it every chain of the tests is dated. */
export const CHAIN_BEGINS = 1_766_000_400;

export interface Stage extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly world: World;
}

export async function stage(options: WorldOptions = {}): Promise<Stage> {
  const anvil = await startAnvil({ timestamp: CHAIN_BEGINS });
  const world = await deployWorld(anvil.url, { genesisTimestamp: CHAIN_BEGINS, ...options });
  return { anvil, world, [Symbol.asyncDispose]: () => anvil.stop() };
}

/** A chain under test whose clock is the test's. */
export interface Reader extends Disposable {
  readonly chain: OpenChain;
  readonly events: PollEvent[];
  readonly path: string;
  /** Epoch ms; moves only when the test moves it, or when a retry waits. */
  now: number;
  /** One poll with a minute's deadline, and what is known after it. */
  poll(): Promise<ChainState>;
  state(): ChainState;
  /** The reasons, or `available`, of Core and economy. */
  says(): readonly [string, string];
  /** Closes the file and opens it again, as after a restart. */
  reopen(): Reader;
}

export interface ReaderOptions extends Partial<Omit<ChainOptions, "now">> {
  /** An existing file; otherwise one of its own, removed at the end. */
  readonly path?: string;
  /** The clock's first instant, epoch ms. */
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
  const clock = { now: options.begins ?? CHAIN_BEGINS * 1000 };
  const chain = openChain({
    deployment: deploymentSchema.parse(deployment),
    rpcUrls,
    statePath: path,
    grace: 15_000,
    validity: 600_000,
    now: () => clock.now,
    onEvent: (event) => events.push(event),
    // Waiting moves the test's clock and takes no time.
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
    says() {
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

/** The Core's view; a test that gets none fails with the reason. */
export function coreOf(state: ChainState) {
  if (state.core.status !== "available") throw new Error(`the Core's view is ${state.core.reason}`);
  return state.core.view;
}

export function economyOf(state: ChainState) {
  if (state.economy.status !== "available") throw new Error(`the economy's view is ${state.economy.reason}`);
  return state.economy.view;
}
