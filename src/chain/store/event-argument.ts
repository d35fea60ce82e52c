/** The arguments of an event. */
import type { ChainEvent } from "../chain-state.ts";

/** An argument that the ABI says is there, as its text. */
export function textArgument(event: ChainEvent, name: string): string {
  const argument = event.arguments.find((one) => one.name === name);
  if (argument === undefined)
    throw new Error(`${event.eventName} in block ${event.blockNumber} has no argument ${name}`);
  return argument.value;
}

/** The same as an integer. */
export function integerArgument(event: ChainEvent, name: string): bigint {
  return BigInt(textArgument(event, name));
}
