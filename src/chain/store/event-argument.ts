/** The arguments of a stored event. */
import type { ChainEvent } from "../chain-state.ts";

/** An argument of an event as an integer. */
export function integerArgument(event: ChainEvent, name: string): bigint {
  const argument = event.arguments.find((one) => one.name === name);
  if (argument === undefined) throw new Error(`${event.eventName} has no argument ${name}`);
  return BigInt(argument.value);
}
