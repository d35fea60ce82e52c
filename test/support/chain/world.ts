/** A chain for tests: anvil, the contracts on it, and the transactions of their users. */
import { spawn } from "node:child_process";
import { type Address, concatHex, type Hex, keccak256, numberToHex, stringToHex } from "viem";
import { anvilArguments, anvilBinary, call, listeningPort, NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { callData, deploy, type Receipt, send } from "../../../demo/chain/calls.ts";
import { type Deployed, deployContracts, STREAM_ID, type WorldOptions } from "../../../demo/chain/deploy.ts";
import { SAFE_DEPTH } from "../../../src/values/settlement-limits.ts";

export interface Anvil {
  readonly url: string;
  readonly rpc: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a chain on a free port. `timestamp` is the genesis block's, in seconds. */
export async function startAnvil(options: { timestamp?: number; args?: readonly string[] } = {}): Promise<Anvil> {
  const binary = anvilBinary();
  if (binary === undefined) throw new Error(NO_ANVIL);
  const timestamp = options.timestamp === undefined ? [] : ["--timestamp", String(options.timestamp)];
  const child = spawn(binary, anvilArguments([...timestamp, ...(options.args ?? [])]), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await listeningPort(child);
  const url = `http://127.0.0.1:${port}`;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    url,
    rpc: (method, params = []) => call(url, method, params),
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export interface World extends Governance, Omit<Deployed, "deployCore"> {
  readonly url: string;
  /** Settles rounds up to `throughRound`. The Core tracks its own frontier and nonce. */
  settle(batch: { throughRound: number; activeRoundCount: number; workUnits: bigint }): Promise<Receipt>;
  /** Emits one WorkRecorded per value. */
  recordWork(firstRound: number, workUnits: readonly bigint[]): Promise<Receipt>;
  /** Emits one RoundFunded per [round, amount] and moves the mint cursor to `throughRound`. */
  fund(throughRound: number, rounds: readonly (readonly [number, bigint])[]): Promise<Receipt>;
  release(round: number, amount: bigint): Promise<Receipt>;
  claim(player: string, throughRound: number, amount: bigint): Promise<Receipt>;
  scheduleRewardWeights(activationRound: number, multiplierBps: number): Promise<Receipt>;
  mintUnit(player: string, unitType: number): Promise<Receipt>;
  mergeUnits(player: string, unitIds: readonly bigint[], resultUnitType: number): Promise<Receipt>;
  setReporter(reporter: string): Promise<Receipt>;
  setGuardian(guardian: string): Promise<Receipt>;
  pause(): Promise<Receipt>;
  unpause(): Promise<Receipt>;
  /** Deploys another Core from the same factory, with a different stream. */
  deployOtherCore(): Promise<Receipt>;
  /** Mines empty blocks, `interval` seconds apart. */
  mine(blocks: number, interval?: number): Promise<void>;
  /** Mines as many blocks as make the newest one safe. */
  confirm(): Promise<void>;
  /** Sets the timestamp (seconds) of the next block. */
  nextTimestamp(seconds: number): Promise<void>;
  /** The number of the latest block. */
  head(): Promise<number>;
}

/** Deploys everything from the node's unlocked accounts. Resolves when all transactions are mined. */
export async function deployWorld(url: string, options: WorldOptions = {}): Promise<World> {
  const { deployment, implementation, people, deployCore } = await deployContracts(url, options);
  const { economy } = deployment;
  const roles: Record<"guardian" | "reporter", string> = { guardian: people.guardian, reporter: people.reporter };
  const toCore = (from: string, name: string, args: readonly unknown[] = []) =>
    send(url, from, deployment.core, callData("Core", name, args));
  const toEconomy = (to: "mining" | "collection", name: string, args: readonly unknown[]) => {
    if (economy === undefined) throw new Error("this world has no economy");
    return send(url, people.deployer, economy[to], callData(to === "mining" ? "Mining" : "Collection", name, args));
  };
  const mine = async (blocks: number, interval = 12) => {
    await call(url, "anvil_mine", [numberToHex(blocks), numberToHex(interval)]);
  };
  return {
    url,
    deployment,
    implementation,
    people,
    ...governance(url, deployment, people),
    settle({ throughRound, activeRoundCount, workUnits }) {
      const digest = keccak256(concatHex([STREAM_ID, numberToHex(throughRound)]));
      return toCore(roles.reporter, "settle", [digest, BigInt(throughRound), BigInt(activeRoundCount), workUnits]);
    },
    recordWork: (firstRound, workUnits) => toCore(roles.reporter, "recordWork", [BigInt(firstRound), workUnits]),
    fund(throughRound, rounds) {
      const ids = rounds.map(([round]) => BigInt(round));
      const amounts = rounds.map(([, amount]) => amount);
      return toEconomy("mining", "fund", [BigInt(throughRound), ids, amounts]);
    },
    release: (round, amount) => toEconomy("mining", "release", [BigInt(round), amount]),
    claim: (player, throughRound, amount) => toEconomy("mining", "claim", [player, BigInt(throughRound), amount]),
    scheduleRewardWeights: (round, bps) => toEconomy("mining", "scheduleRewardWeights", [BigInt(round), BigInt(bps)]),
    mintUnit: (player, unitType) => toEconomy("collection", "mintUnit", [player, unitType]),
    mergeUnits: (player, unitIds, type) => toEconomy("collection", "mergeUnits", [player, unitIds, type]),
    async setReporter(next) {
      const receipt = await toCore(roles.guardian, "setReporter", [next]);
      roles.reporter = next;
      return receipt;
    },
    async setGuardian(next) {
      const receipt = await toCore(roles.guardian, "setGuardian", [next]);
      roles.guardian = next;
      return receipt;
    },
    pause: () => toCore(roles.guardian, "pause"),
    unpause: () => toCore(roles.guardian, "unpause"),
    deployOtherCore: () => deployCore(keccak256(stringToHex("noonmark.test.other"))),
    mine,
    confirm: () => mine(Number(SAFE_DEPTH)),
    async nextTimestamp(seconds) {
      await call(url, "evm_setNextBlockTimestamp", [numberToHex(seconds)]);
    },
    head: async () => Number(await call(url, "eth_blockNumber")),
  };
}

/** An operation of the timelock, with everything needed to execute it. */
interface Operation {
  readonly id: Hex;
  readonly targets: readonly Address[];
  readonly payloads: readonly Hex[];
  readonly salt: Hex;
  readonly implementation: Address | undefined;
}

export interface Governance {
  /** Schedules an upgrade to a new CoreV2, or to `implementation`. `salt` distinguishes otherwise equal operations. */
  scheduleUpgrade(options?: { implementation?: Address; migrate?: boolean; salt?: number }): Promise<Operation>;
  /** Schedules calls: `schedule` for one, `scheduleBatch` for several. */
  scheduleCalls(targets: readonly Address[], payloads: readonly Hex[], salt?: number): Promise<Operation>;
  /** Schedules the same operation again. The timelock accepts that only after a cancellation. */
  reschedule(operation: Operation): Promise<Receipt>;
  /** Advances the clock past the delay and executes. */
  execute(operation: Operation): Promise<Receipt>;
  cancel(operation: Operation): Promise<Receipt>;
}

const NONE = numberToHex(0, { size: 32 });

export function governance(
  url: string,
  deployment: { core: Address; proxyAdmin: Address; operatorTimelock: Address },
  people: { deployer: Address; proposer: Address },
): Governance {
  const timelock = deployment.operatorTimelock;
  const toTimelock = (name: string, args: readonly unknown[]) =>
    send(url, people.proposer, timelock, callData("TimelockController", name, args));
  const delay = async () =>
    Number(
      await call(url, "eth_call", [
        { to: timelock, data: callData("TimelockController", "getMinDelay", []) },
        "latest",
      ]),
    );

  async function schedule({ targets, payloads, salt }: Omit<Operation, "id">): Promise<Receipt> {
    const wait = BigInt(await delay());
    if (targets.length === 1) return toTimelock("schedule", [targets[0], 0n, payloads[0], NONE, salt, wait]);
    return toTimelock("scheduleBatch", [targets, targets.map(() => 0n), payloads, NONE, salt, wait]);
  }

  async function scheduled(operation: Omit<Operation, "id">): Promise<Operation> {
    const receipt = await schedule(operation);
    const id = receipt.logs[0]?.topics[1];
    if (id === undefined) throw new Error("nothing was scheduled");
    return { ...operation, id };
  }

  return {
    async scheduleUpgrade({ implementation, migrate = implementation === undefined, salt = 0 } = {}) {
      const next = implementation ?? (await deploy(url, people.deployer, "CoreV2")).address;
      const migration = migrate ? callData("CoreV2", "migrate", []) : "0x";
      const payload = callData("ProxyAdmin", "upgradeAndCall", [deployment.core, next, migration]);
      const call = { targets: [deployment.proxyAdmin], payloads: [payload], implementation: next };
      return scheduled({ ...call, salt: numberToHex(salt, { size: 32 }) });
    },
    scheduleCalls: (targets, payloads, salt = 0) =>
      scheduled({ targets, payloads, salt: numberToHex(salt, { size: 32 }), implementation: undefined }),
    reschedule: schedule,
    async execute({ targets, payloads, salt }) {
      await call(url, "evm_increaseTime", [await delay()]);
      if (targets.length === 1) return toTimelock("execute", [targets[0], 0n, payloads[0], NONE, salt]);
      return toTimelock("executeBatch", [targets, targets.map(() => 0n), payloads, NONE, salt]);
    },
    cancel: (operation) => toTimelock("cancel", [operation.id]),
  };
}
