/**
 * Decoders for the events of each contract, by topic0. Each is created once, because viem's decodeEventLog hashes every
 * signature of an ABI for every event.
 */
import { type Abi, type AbiEvent, decodeAbiParameters, getAddress, type Hex, toEventSelector } from "viem";
import { elementAt } from "../values/unknown.ts";
import { COLLECTION_ABI, CORE_ABI, FACTORY_ABI, MINING_ABI, PROXY_ADMIN_ABI, TIMELOCK_ABI } from "./abi.ts";
import type { ContractKind } from "./chain-state.ts";

export interface EventShape {
  readonly name: string;
  /** Number of topics, including topic0. */
  readonly topicCount: number;
  /**
   * Returns the arguments as texts in ABI order (docs/spec/chain.md#derived). `topics` and `data` are checked byte
   * strings in lower case. Throws if they are not this event's.
   */
  decode(topics: readonly Hex[], data: Hex): { name: string; value: string }[];
}

/** Events by contract kind and topic0. Events with other topics are ignored (docs/spec/chain.md#reading). */
export const EVENT_SHAPES: Readonly<Record<ContractKind, ReadonlyMap<Hex, EventShape>>> = {
  factory: shapes(FACTORY_ABI),
  core: shapes(CORE_ABI),
  proxy_admin: shapes(PROXY_ADMIN_ABI),
  timelock: shapes(TIMELOCK_ABI),
  mining: shapes(MINING_ABI),
  token: new Map(),
  collection: shapes(COLLECTION_ABI),
};

type Parameter = AbiEvent["inputs"][number];

const WORD = 64;
/** Leading zeros of a word whose number has at most 48 bits (12 hexadecimal digits). */
const ZEROS_OF_SMALL = "0".repeat(WORD - 12);

function shapes(abi: Abi): ReadonlyMap<Hex, EventShape> {
  const found = new Map<Hex, EventShape>();
  for (const item of abi) {
    if (item.type === "event") found.set(toEventSelector(item), shape(item.name, item.inputs));
  }
  return found;
}

function shape(name: string, inputs: readonly Parameter[]): EventShape {
  const indexed = inputs.filter((input) => input.indexed === true);
  const unindexed = inputs.filter((input) => input.indexed !== true);
  const areWords = unindexed.every((input) => isOneWord(input.type));
  return {
    name,
    topicCount: 1 + indexed.length,
    decode(topics, data) {
      if (topics.length !== 1 + indexed.length) throw new Error(`${name} has ${topics.length} topics`);
      const rest = areWords ? wordsOf(name, unindexed, data) : dynamicOf(unindexed, data);
      let topic = 1;
      let word = 0;
      return inputs.map((input) => ({
        name: input.name ?? "",
        value:
          input.indexed === true ? wordText(input.type, elementAt(topics, topic++).slice(2)) : (rest[word++] ?? ""),
      }));
    },
  };
}

function wordsOf(name: string, inputs: readonly Parameter[], data: Hex): string[] {
  if (data.length < 2 + WORD * inputs.length) throw new Error(`${name} has ${data.length / 2 - 1} bytes of data`);
  return inputs.map((input, index) => wordText(input.type, data.slice(2 + WORD * index, 2 + WORD * (index + 1))));
}

function dynamicOf(inputs: readonly Parameter[], data: Hex): string[] {
  const values = decodeAbiParameters(inputs, data);
  return values.map((value, index) => valueText(inputs[index]?.type ?? "", value));
}

/** Returns true if a value of this ABI type takes one 32-byte word. */
function isOneWord(type: string): boolean {
  return /^(?:uint\d+|address|bool|bytes32)$/.test(type);
}

function wordText(type: string, word: string): string {
  if (type === "bytes32") return `0x${word}`;
  // Most numbers are small, and `Number` reads them many times faster. NaN and longer numbers are left to BigInt below.
  if (type.startsWith("uint") && word.startsWith(ZEROS_OF_SMALL)) {
    const small = Number(`0x${word.slice(ZEROS_OF_SMALL.length)}`);
    if (small < 2 ** Number(type.slice("uint".length))) return String(small);
  }
  const value = BigInt(`0x${word}`);
  if (type === "address") {
    if (value >> 160n !== 0n) throw new Error("an address has more than 20 bytes");
    return getAddress(`0x${word.slice(24)}`);
  }
  if (type === "bool") {
    if (value > 1n) throw new Error("a boolean is neither 0 nor 1");
    return value === 1n ? "true" : "false";
  }
  if (value >> BigInt(type.slice("uint".length)) !== 0n) throw new Error(`a ${type} is out of range`);
  return value.toString();
}

function valueText(type: string, value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => valueText(type.replace(/\[\d*\]$/, ""), item)));
  if (type === "address") return getAddress(value as string);
  return String(value);
}
