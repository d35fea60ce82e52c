/**
 * Decodes a node's responses: events, blocks, byte strings and quantities. Everything that a node says passes here once,
 * before it is compared or stored, so that every stored value can be rendered (docs/spec/chain.md#forms).
 */
import type { Hex } from "viem";
import { UINT256_MAX } from "../../values/decimal.ts";
import { LATEST } from "../../values/timestamp.ts";
import { fieldsOf } from "../../values/unknown.ts";
import type { EventPosition } from "../chain-state.ts";
import type { RpcCall } from "./rpc-node.ts";

/** Thrown if a node's response contradicts itself or the request: nothing of it is stored. */
export class ContradictingResponse extends Error {
  override readonly name = "ContradictingResponse";
}

export interface Block {
  readonly number: bigint;
  readonly hash: string;
  /** Epoch ms. */
  readonly timestamp: number;
  /** The header's bloom filter of its events, 256 bytes; undefined if the node omits it. */
  readonly logsBloom: Uint8Array | undefined;
}

/** Placeholder for the timestamp of an event whose node omits it, or says 0x0. */
export const UNDATED = -1;
const BYTES = /^0x[0-9a-fA-F]*$/;
const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/;
const HASH_BYTES = 32;
const BLOOM_BYTES = 256;
const MAX_TOPICS = 4;
/** A key of the activity has ten digits for each index. */
const MAX_INDEX = 2n ** 32n - 1n;
/** The last second that a published timestamp can show. */
export const MAX_SECONDS = BigInt(Math.floor(LATEST / 1000));
/** Characters of a malformed value in a message. */
const SHOWN = 80;

/** Returns the call for a block without its transactions. */
export function blockCall(number: bigint): RpcCall {
  return { method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] };
}

/** Parses a result of eth_getBlockByNumber. Throws `ContradictingResponse` if it is not the requested block. */
export function parseBlock(value: unknown, number: bigint): Block {
  if (typeof value !== "object" || value === null) throw new ContradictingResponse(`block ${number} is unknown`);
  const block = fieldsOf(value);
  const hash = bytesOf(block.hash, HASH_BYTES);
  if (quantity(block.number) !== number || hash === undefined) throw new ContradictingResponse(`no block ${number}`);
  const timestamp = instant(block.timestamp);
  if (timestamp === 0 && number > 0n) throw new ContradictingResponse(`block ${number} has no time`);
  const bloom = bytesOf(block.logsBloom, BLOOM_BYTES);
  return { number, hash, timestamp, logsBloom: bloom && Buffer.from(bloom.slice(2), "hex") };
}

/** Returns a byte string in lower case; undefined for anything else, such as an odd number of digits or 0X. */
export function bytesOf(value: unknown, length?: number): Hex | undefined {
  if (typeof value !== "string" || value.length % 2 !== 0 || !BYTES.test(value)) return undefined;
  return length === undefined || value.length === 2 + 2 * length ? lowerHex(value) : undefined;
}

/** Returns a text that begins with 0x in lower case. */
export function lowerHex(text: string): Hex {
  return `0x${text.slice(2).toLowerCase()}`;
}

/** Parses a quantity of at most `max`: no leading zero, so that a byte string in its place is noticed. */
export function quantity(value: unknown, max = BigInt(Number.MAX_SAFE_INTEGER)): bigint {
  const number = typeof value === "string" && QUANTITY.test(value) ? BigInt(value) : undefined;
  if (number !== undefined && number <= max) return number;
  const shown = (JSON.stringify(value) ?? "nothing").slice(0, SHOWN);
  throw new ContradictingResponse(`${shown} is not a hexadecimal quantity of at most ${max}`);
}

/** Parses a block's time in seconds, and returns epoch ms. */
export function instant(value: unknown): number {
  const seconds = quantity(value, UINT256_MAX);
  if (seconds > MAX_SECONDS)
    throw new ContradictingResponse(`the block time ${seconds} is no instant in seconds before the year 10000`);
  return Number(seconds) * 1000;
}

/** An event of eth_getLogs whose topics and data are not decoded yet. */
export interface RawEvent extends EventPosition {
  /** Lower case. */
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** Parses an event. Throws `ContradictingResponse` if a field is missing or malformed. */
export function rawEvent(value: unknown): RawEvent {
  const raw = fieldsOf(value);
  const address = bytesOf(raw.address, 20);
  const data = bytesOf(raw.data);
  const blockHash = bytesOf(raw.blockHash, HASH_BYTES);
  const transactionHash = bytesOf(raw.transactionHash, HASH_BYTES);
  const topics = Array.isArray(raw.topics) ? raw.topics.flatMap((topic) => bytesOf(topic, 32) ?? []) : [];
  const hasTopics = Array.isArray(raw.topics) && raw.topics.length === topics.length && topics.length <= MAX_TOPICS;
  if (!address || !data || !blockHash || !transactionHash || !hasTopics || raw.removed === true) {
    throw new ContradictingResponse("an event is incomplete or malformed");
  }
  return {
    address,
    topics,
    data,
    blockNumber: quantity(raw.blockNumber),
    blockHash,
    // Some nodes say 0x0 if they do not know the time.
    blockTimestamp: instant(raw.blockTimestamp ?? "0x0") || UNDATED,
    transactionHash,
    transactionIndex: Number(quantity(raw.transactionIndex, MAX_INDEX)),
    logIndex: Number(quantity(raw.logIndex, MAX_INDEX)),
  };
}
