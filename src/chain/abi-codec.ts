/**
 * What of an ABI is encoded, decoded and hashed here, over the single modules of ox: the whole of viem is a tenth of a
 * second of every cold start.
 */
import * as AbiParameters from "ox/AbiParameters";
import * as OxAddress from "ox/Address";
import * as Hash from "ox/Hash";

export type Hex = `0x${string}`;
/** Checksummed. */
export type Address = Hex;

export interface Parameter {
  readonly name?: string | undefined;
  readonly type: string;
  readonly indexed?: boolean | undefined;
}

interface Callable {
  readonly name: string;
  readonly inputs: readonly Parameter[];
}

export interface AbiFunction extends Callable {
  readonly type: "function";
  readonly outputs: readonly Parameter[];
}

export interface AbiEvent extends Callable {
  readonly type: "event";
}

/** Functions and events; none of them has a tuple among its parameters. */
export type Abi = readonly (
  | AbiFunction
  | AbiEvent
  | { readonly type: "constructor" | "error" | "fallback" | "receive" }
)[];

/** Hexadecimal bytes → their keccak256. */
export function keccak256(bytes: Hex): Hex {
  return Hash.keccak256(bytes);
}

export function keccak256OfText(text: string): Hex {
  return Hash.keccak256(new TextEncoder().encode(text), { as: "Hex" });
}

/** In any case → checksummed (EIP-55). Throws where it is no address. */
export function checksumAddress(address: string): Address {
  return OxAddress.checksum(address as Hex);
}

/** topic0 of an event. */
export function eventTopic(event: AbiEvent): Hex {
  return keccak256OfText(signature(event));
}

/** The first four bytes of a function's call data. */
export function functionSelector(item: AbiFunction): Hex {
  return keccak256OfText(signature(item)).slice(0, 10) as Hex;
}

export function encodeParameters(parameters: readonly Parameter[], values: readonly unknown[]): Hex {
  return AbiParameters.encode(parameters as never, values as never);
}

/** In order; integers of more than 48 bits are bigint, addresses checksummed. Throws where the data do not fit. */
export function decodeParameters(parameters: readonly Parameter[], data: Hex): readonly unknown[] {
  return AbiParameters.decode(parameters as never, data, { as: "Array", checksumAddress: true });
}

export function functionOf(abi: Abi, name: string): AbiFunction {
  const found = abi.find((item) => item.type === "function" && item.name === name);
  if (found?.type !== "function") throw new Error(`the interface has no function ${name}`);
  return found;
}

function signature({ name, inputs }: Callable): string {
  return `${name}(${inputs.map(({ type }) => type).join(",")})`;
}
