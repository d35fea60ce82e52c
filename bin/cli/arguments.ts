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

/** A number above 0. */
export function positiveArgument(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number > 0) || !Number.isFinite(number)) {
    throw new InvalidArgumentError("it is no number above 0");
  }
  return number;
}

/** A whole number above 0. */
export function wholeArgument(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("it is no whole number above 0");
  return Number(text);
}
