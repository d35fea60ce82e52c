import { InvalidArgumentError } from "commander";

/** `--only telemetry,process`: names out of a closed list. */
export function namesArgument<Name extends string>(known: readonly Name[]): (text: string) => ReadonlySet<Name> {
  return (text) => {
    const names = text.split(",").map((name) => name.trim());
    const unknown = names.find((name) => !known.includes(name as Name));
    if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${known.join(", ")}`);
    return new Set(names as Name[]);
  };
}

/** A number of seconds, 0 or more. */
export function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds >= 0)) throw new InvalidArgumentError("it is no number of seconds");
  return seconds;
}
