/** A setting's flag and variable, and the nearest name to an unknown one. */
import { SETTING_NAMES } from "./settings.ts";

const PREFIX = "NOONMARK_";

/** Names the configuration file, as --config does. */
export const CONFIG_VARIABLE = `${PREFIX}CONFIG`;

/** Converts `installationId` to `NOONMARK_INSTALLATION_ID`. */
export function environmentName(name: string): string {
  return `${PREFIX}${flagName(name).replaceAll("-", "_").toUpperCase()}`;
}

/** Converts `installationId` to `installation-id`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Variables that Kubernetes sets in a namespace's containers for a service noonmark or noonmark-something. */
const SERVICE_VARIABLE =
  /_SERVICE_(?:HOST|PORT)$|_SERVICE_PORT_\w|_PORT_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

export function isKubernetesVariable(variable: string, value: string): boolean {
  return SERVICE_VARIABLE.test(variable) || /^(?:tcp|udp|sctp):\/\//.test(value);
}

/** Returns unknown variables with Noonmark's prefix, and the one that was probably meant. Kubernetes' variables do not count. */
export function unknownVariables(environment = process.env): { variable: string; suggestion: string | undefined }[] {
  const endings = SETTING_NAMES.map((name) => environmentName(name).slice(PREFIX.length));
  const known = ["CONFIG", ...endings];
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(PREFIX) && !known.includes(variable.slice(PREFIX.length)))
    .filter((variable) => !isKubernetesVariable(variable, environment[variable] ?? ""))
    .map((variable) => {
      const near = nearestName(variable.slice(PREFIX.length), endings);
      return { variable, suggestion: near === undefined ? undefined : PREFIX + near };
    });
}

/** The maximum share of a name's letters that may be mistyped. */
const MAX_MISTYPED_SHARE = 0.4;

/** A prefix of a known name with at least this many letters is taken for that name. */
const MIN_PREFIX_LENGTH = 4;

/** Returns `; did you mean …?`, or "" if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near =
    nearestName(name, known) ?? known.find((one) => name.length >= MIN_PREFIX_LENGTH && one.startsWith(name));
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** Returns the known name that `name` is probably a misspelling of. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((one) => ({ one, distance: editDistance(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= Math.max(1, name.length * MAX_MISTYPED_SHARE)
    ? nearest.one
    : undefined;
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const next = [row + 1];
    for (let index = 0; index < to.length; index++) {
      const replaced = (previous[index] ?? 0) + (letter === to[index] ? 0 : 1);
      next.push(Math.min(replaced, (previous[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    previous = next;
  }
  return previous.at(-1) ?? 0;
}
