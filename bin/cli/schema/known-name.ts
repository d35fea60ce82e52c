import { EXIT, Failure } from "../../../src/values/failure.ts";
import { didYouMean } from "../settings/nearest-name.ts";

/** The name, if it is known. Throws `Failure` (exit 2, `unknown_name`) with the nearest one. */
export function knownName<Name extends string>(name: string, known: readonly Name[]): Name {
  if (known.includes(name as Name)) return name as Name;
  throw new Failure("unknown_name", `there is no "${name}"${didYouMean(name, known)}`, {
    exit: EXIT.usage,
    hint: `Name one of ${known.join(", ")}.`,
  });
}
