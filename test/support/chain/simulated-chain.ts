/**
 * An in-memory settlement chain that grows and forks; simulated-node.ts serves it. Each block holds its logs with
 * bloom, the contracts' state, and the history up to it. A model derives the expected view of a block from them.
 */
import { createHash } from "node:crypto";
import { type Abi, type Address, encodeAbiParameters, encodeEventTopics, getAbiItem, type Hex, keccak256 } from "viem";
import { COLLECTION_ABI, CORE_ABI, FACTORY_ABI, MINING_ABI } from "../../../src/chain/abi.ts";
import { type Deployment, deploymentSchema, type EconomyDeployment } from "../../../src/chain/deployment.ts";
import { address } from "./chain-state.ts";

export const WORK_PER_BLOCK = 1_000n;
export const BASELINE_REWARD = 7n;
/** The block of CoreDeployed and of the economy's deployment. */
const DEPLOYMENT_BLOCK = 2;
export const PLAYER = address(0x9a) as Address;

/** The state of the contracts after a block. */
export interface ContractState {
  readonly settledThroughRound: bigint;
  readonly cumulativeWork: bigint;
  readonly nonce: bigint;
  readonly paused: boolean;
  readonly mintedThroughRound: bigint;
  readonly units: bigint;
  readonly implementation: Address;
}

export interface SimulatedSettlement {
  readonly transactionHash: Hex;
  readonly block: number;
  /** Epoch ms. */
  readonly time: number;
  readonly previousRound: bigint;
  readonly settledRound: bigint;
  readonly activeRounds: bigint;
  readonly workAdded: bigint;
  readonly cumulativeWork: bigint;
  readonly blockHeight: bigint;
}

/** An event under the id that readers see. */
export interface NamedEvent {
  readonly id: string;
  readonly blockHash: Hex;
  readonly kind: keyof typeof ABIS | "protocol" | "players";
}

export interface SimulatedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

export interface SimulatedBlock {
  readonly chain: SimulatedChain;
  readonly number: number;
  readonly hash: Hex;
  readonly parent: SimulatedBlock | undefined;
  /** Seconds. */
  readonly timestamp: number;
  readonly logs: readonly SimulatedLog[];
  readonly bloom: Hex;
  readonly state: ContractState;
  /** From the first block, oldest first. */
  readonly settlements: readonly SimulatedSettlement[];
  readonly fundings: readonly { readonly round: bigint; readonly amount: bigint }[];
  readonly onchain: readonly NamedEvent[];
  readonly activity: readonly NamedEvent[];
}

/** One transaction of a block. */
export type Action =
  | { readonly is: "settle"; readonly rounds: bigint; readonly activeRounds: bigint; readonly work: bigint }
  /** Funds up to `rounds` more settled rounds and moves the mint cursor to the last of them. */
  | { readonly is: "fund"; readonly rounds: bigint; readonly amount: bigint }
  | { readonly is: "release" | "claim" | "pause" | "upgrade" }
  | { readonly is: "units"; readonly count: number };

/** A chain with one deployment of the contracts, and all blocks of all its branches. */
export class SimulatedChain {
  readonly deployment: Deployment;
  readonly economy: EconomyDeployment;
  /** Seconds, a multiple of 600. */
  readonly genesisTimestamp: number;
  readonly blocks = new Map<string, SimulatedBlock>();
  readonly #byNumber = new Map<number, SimulatedBlock[]>();
  /** The main branch. Nodes can follow other branches. */
  branch: Branch;

  /** Chains with different numbers have different ids, names and contracts. */
  constructor(number: number, genesisTimestamp: number) {
    const at = (kind: number) => address(0x1000 * (number + 1) + kind);
    this.genesisTimestamp = genesisTimestamp;
    this.deployment = deploymentSchema.parse({
      target: `chain-${number}`,
      chainId: 31_337 + number,
      deploymentBlock: DEPLOYMENT_BLOCK,
      factory: at(1),
      core: at(2),
      proxyAdmin: at(3),
      operatorTimelock: at(4),
      operatorProposer: at(5),
      streamId: `0x${String(number).padStart(64, "5")}`,
      economy: {
        releaseId: "release-1",
        protocolRevision: "protocol-1",
        rewardModelRevision: "rewards-1",
        deploymentBlock: DEPLOYMENT_BLOCK,
        mining: at(6),
        token: at(7),
        tokenFactory: at(8),
        collection: at(9),
      },
    });
    if (this.deployment.economy === undefined) throw new Error("a simulated chain needs an economy");
    this.economy = this.deployment.economy;
    this.branch = new Branch([]);
    this.branch = this.branch.mined(this, genesisTimestamp, []);
  }

  blocksAt(number: number): readonly SimulatedBlock[] {
    return this.#byNumber.get(number) ?? [];
  }

  add(block: SimulatedBlock): void {
    this.blocks.set(block.hash, block);
    this.#byNumber.set(block.number, [...this.blocksAt(block.number), block]);
  }
}

/** A sequence of blocks from number 0. Immutable: mining returns a new branch. */
export class Branch {
  readonly blocks: readonly SimulatedBlock[];

  constructor(blocks: readonly SimulatedBlock[]) {
    this.blocks = blocks;
  }

  get head(): SimulatedBlock {
    const head = this.blocks.at(-1);
    if (head === undefined) throw new Error("an empty branch has no head");
    return head;
  }

  has(block: SimulatedBlock): boolean {
    return this.blocks[block.number] === block;
  }

  /** The blocks up to and including number `through`. */
  cut(through: number): Branch {
    return new Branch(this.blocks.slice(0, Math.max(0, through) + 1));
  }

  /** A branch with one more block. Its timestamp (seconds) is at least one second after the head. */
  mined(chain: SimulatedChain, timestamp: number, actions: readonly Action[]): Branch {
    const block = mine(chain, this.blocks.at(-1), timestamp, actions);
    chain.add(block);
    return new Branch([...this.blocks, block]);
  }
}

/** True if `block` equals or descends from `ancestor`. */
export function descends(block: SimulatedBlock, ancestor: SimulatedBlock): boolean {
  let at: SimulatedBlock | undefined = block;
  while (at !== undefined && at.number > ancestor.number) at = at.parent;
  return at === ancestor;
}

function mine(
  chain: SimulatedChain,
  parent: SimulatedBlock | undefined,
  atLeast: number,
  actions: readonly Action[],
): SimulatedBlock {
  const number = parent === undefined ? 0 : parent.number + 1;
  const timestamp = parent === undefined ? atLeast : Math.max(parent.timestamp + 1, atLeast);
  // The block counter makes the hash unique across branches.
  const hash = hashOf(`${chain.deployment.target}, block ${chain.blocks.size}`);
  const draft = new Draft(chain, parent, { number, hash, timestamp });
  if (number === DEPLOYMENT_BLOCK) draft.deploy();
  else if (number > DEPLOYMENT_BLOCK) for (const action of actions) draft.act(action);
  const { state, logs } = draft;
  return {
    chain,
    number,
    hash,
    parent,
    timestamp,
    logs,
    state,
    bloom: bloomOf(logs),
    settlements: joined(parent?.settlements, draft.settlements),
    fundings: joined(parent?.fundings, draft.fundings),
    onchain: joined(parent?.onchain, draft.onchain),
    activity: joined(parent?.activity, draft.activity),
  };
}

function joined<T>(before: readonly T[] = [], added: readonly T[]): readonly T[] {
  return added.length === 0 ? before : [...before, ...added];
}

const INITIAL_STATE: ContractState = {
  settledThroughRound: 0n,
  cumulativeWork: 0n,
  nonce: 0n,
  paused: false,
  mintedThroughRound: 0n,
  units: 0n,
  implementation: address(0xe000) as Address,
};

const ABIS = { factory: FACTORY_ABI, core: CORE_ABI, mining: MINING_ABI, collection: COLLECTION_ABI } as const;

/** A block under construction. Each transaction emits one log. */
class Draft {
  readonly #chain: SimulatedChain;
  readonly #block: { readonly number: number; readonly hash: Hex; readonly timestamp: number };
  state: ContractState;
  readonly logs: SimulatedLog[] = [];
  readonly settlements: SimulatedSettlement[] = [];
  readonly fundings: { round: bigint; amount: bigint }[] = [];
  readonly onchain: NamedEvent[] = [];
  readonly activity: NamedEvent[] = [];

  constructor(
    chain: SimulatedChain,
    parent: SimulatedBlock | undefined,
    block: { readonly number: number; readonly hash: Hex; readonly timestamp: number },
  ) {
    this.#chain = chain;
    this.#block = block;
    this.state = parent?.state ?? INITIAL_STATE;
  }

  deploy(): void {
    const { core, proxyAdmin, streamId } = this.#chain.deployment;
    const { implementation } = this.state;
    this.#emit("factory", "CoreDeployed", { core, proxyAdmin, implementation, streamId }, this.onchain);
    this.#emit("core", "Initialized", { version: 1n }, this.onchain);
  }

  act(action: Action): void {
    const { state } = this;
    if (action.is === "settle") this.#settle(action);
    else if (action.is === "fund") {
      const { mintedThroughRound: from, settledThroughRound: last } = state;
      const through = from + action.rounds < last ? from + action.rounds : last;
      if (through === from) return;
      this.fundings.push({ round: through, amount: action.amount });
      this.state = { ...state, mintedThroughRound: through };
      this.#emit("mining", "RoundFunded", { round: through, amount: action.amount });
    } else if (action.is === "release") {
      this.#emit("mining", "RoundReleased", { round: state.mintedThroughRound, amount: 5n }, this.activity);
    } else if (action.is === "claim") {
      const claim = { player: PLAYER, throughRound: state.mintedThroughRound, amount: 3n };
      this.#emit("mining", "RewardsClaimed", claim, this.activity);
    } else if (action.is === "units") {
      for (let unit = 0; unit < action.count; unit++) {
        const unitId = this.state.units + 1n;
        this.state = { ...this.state, units: unitId };
        this.#emit("collection", "UnitMinted", { player: PLAYER, unitId, unitType: 2 }, this.activity);
      }
    } else if (action.is === "pause") {
      this.state = { ...state, paused: !state.paused };
      this.#emit("core", state.paused ? "Unpaused" : "Paused", { account: PLAYER }, this.onchain);
    } else {
      const implementation = address(0xe000 + this.#block.number) as Address;
      this.state = { ...state, implementation };
      this.#emit("core", "Upgraded", { implementation }, this.onchain);
    }
  }

  #settle({ rounds, activeRounds, work }: Action & { readonly is: "settle" }): void {
    const { operatorProposer: reporter } = this.#chain.deployment;
    const before = this.state;
    const cumulativeWork = before.cumulativeWork + work;
    const settledThroughRound = before.settledThroughRound + rounds;
    const blockHeight = cumulativeWork / WORK_PER_BLOCK;
    this.state = { ...before, settledThroughRound, cumulativeWork, nonce: before.nonce + 1n };
    const digest = hashOf(`digest ${settledThroughRound}`);
    const previousSettledThroughRound = before.settledThroughRound;
    const totals = { cumulativeWork, blockHeight, nonce: before.nonce, activeRoundCount: activeRounds };
    const batch = { digest, reporter, settledThroughRound, previousSettledThroughRound, ...totals };
    const transactionHash = this.#emit("core", "BatchSettled", batch, this.onchain, this.activity);
    this.settlements.push({
      transactionHash,
      block: this.#block.number,
      time: this.#block.timestamp * 1000,
      previousRound: previousSettledThroughRound,
      settledRound: settledThroughRound,
      activeRounds,
      workAdded: work,
      cumulativeWork,
      blockHeight,
    });
  }

  /** Appends a log and returns its transaction hash. */
  #emit(contract: keyof typeof ABIS, eventName: string, args: object, ...lists: NamedEvent[][]): Hex {
    const from = { ...this.#chain.economy, ...this.#chain.deployment }[contract];
    const logIndex = this.logs.length;
    const transactionHash = hashOf(`${this.#block.hash} ${logIndex}`);
    this.logs.push({ address: from, ...encoded(ABIS[contract], eventName, args), transactionHash, logIndex });
    const id = `${this.#chain.deployment.chainId}-${this.#block.number}-${logIndex}`;
    for (const list of lists) {
      const isProtocol = eventName === "BatchSettled" || eventName === "RoundReleased";
      const kind = list === this.activity ? (isProtocol ? "protocol" : "players") : contract;
      list.push({ id, blockHash: this.#block.hash, kind });
    }
    return transactionHash;
  }
}

function encoded(abi: Abi, eventName: string, args: object): { readonly topics: readonly Hex[]; readonly data: Hex } {
  const topics = encodeEventTopics({ abi, eventName, args } as never) as Hex[];
  const item = getAbiItem({ abi, name: eventName } as never) as {
    readonly inputs: readonly { name: string; indexed?: boolean }[];
  };
  const inputs = item.inputs.filter(({ indexed }) => indexed !== true);
  const values = inputs.map(({ name }) => (args as Record<string, unknown>)[name]);
  return { topics, data: encodeAbiParameters(inputs as never, values as never) };
}

export function hashOf(text: string): Hex {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

const bloomBits = new Map<string, readonly number[]>();

/** The header's bloom filter of addresses and topics: M3:2048 of the Yellow Paper. */
function bloomOf(logs: readonly SimulatedLog[]): Hex {
  const bloom = Buffer.alloc(256);
  for (const item of new Set(logs.flatMap((log) => [log.address.toLowerCase() as Hex, ...log.topics]))) {
    let bits = bloomBits.get(item);
    if (bits === undefined) {
      const hash = Buffer.from(keccak256(item).slice(2), "hex");
      bits = [0, 2, 4].map((at) => hash.readUInt16BE(at) & 2047);
      bloomBits.set(item, bits);
    }
    for (const bit of bits) bloom[255 - (bit >> 3)] = (bloom[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
  }
  return `0x${bloom.toString("hex")}`;
}
