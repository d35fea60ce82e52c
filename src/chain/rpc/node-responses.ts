/** Validates a node's responses: logs, blocks and quantities. */
import type { Hex } from "viem";
import { fieldsOf } from "../../values/unknown.ts";
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
  /** The header's bloom filter of its logs, 256 bytes; undefined if the node omits it. */
  readonly logsBloom: Uint8Array | undefined;
}

/** Placeholder for the timestamp of a log whose node omits it. */
export const UNDATED = -1;
const HASH = /^0x[0-9a-f]{64}$/;
const BYTES = /^0x[0-9a-fA-F]*$/;
const BLOOM = /^0x[0-9a-fA-F]{512}$/;
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,15})$/;

/** Returns the call for a block without its transactions. */
export function blockCall(number: bigint): RpcCall {
  return { method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] };
}

/** Parses a result of eth_getBlockByNumber. Throws `ContradictingResponse` if it is not the requested block. */
export function parseBlock(value: unknown, number: bigint): Block {
  if (typeof value !== "object" || value === null) throw new ContradictingResponse(`block ${number} is unknown`);
  const block = fieldsOf(value);
  const hash = typeof block.hash === "string" ? block.hash.toLowerCase() : "";
  if (quantity(block.number) !== number || !HASH.test(hash)) throw new ContradictingResponse(`no block ${number}`);
  const { logsBloom } = block;
  const bloom =
    typeof logsBloom === "string" && BLOOM.test(logsBloom) ? Buffer.from(logsBloom.slice(2), "hex") : undefined;
  return { number, hash, timestamp: Number(quantity(block.timestamp)) * 1000, logsBloom: bloom };
}

export function isHexBytes(value: unknown): value is Hex {
  return typeof value === "string" && BYTES.test(value);
}

/** Returns a text that begins with 0x in lower case. */
export function lowerHex(text: string): Hex {
  return `0x${text.slice(2).toLowerCase()}`;
}

/** Parses a hexadecimal quantity of at most 64 bits. */
export function quantity(value: unknown): bigint {
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (!QUANTITY.test(text)) throw new ContradictingResponse("a quantity is not hexadecimal");
  return BigInt(text);
}

/** A log of eth_getLogs. */
export interface Log {
  /** Lower case. */
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly blockTimestamp: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

/** Parses a log. Throws `ContradictingResponse` if a field is missing or malformed. */
export function validLog(value: unknown): Log {
  const log = fieldsOf(value);
  const { address, topics, data, blockHash, transactionHash, blockTimestamp } = log;
  if (
    typeof address !== "string" ||
    !Array.isArray(topics) ||
    typeof data !== "string" ||
    typeof blockHash !== "string" ||
    typeof transactionHash !== "string" ||
    log.removed === true
  ) {
    throw new ContradictingResponse("a log is incomplete or malformed");
  }
  const [inBlock, inTransaction] = [blockHash.toLowerCase(), transactionHash.toLowerCase()];
  if (!HASH.test(inBlock) || !HASH.test(inTransaction)) throw new ContradictingResponse("a log has a malformed hash");
  return {
    address: address.toLowerCase(),
    topics: topics.map((topic) => lowerHex(String(topic))),
    data: data as Hex,
    blockNumber: quantity(log.blockNumber),
    blockHash: inBlock,
    blockTimestamp: typeof blockTimestamp === "string" ? Number(quantity(blockTimestamp)) * 1000 : UNDATED,
    transactionHash: inTransaction,
    transactionIndex: Number(quantity(log.transactionIndex)),
    logIndex: Number(quantity(log.logIndex)),
  };
}
