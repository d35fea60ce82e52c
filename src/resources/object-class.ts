/** Classifies a store's objects for counting, by keys without ids, numbers and hashes. */
import { constantKey, INSTALLATIONS_KEY, PRIVATE_STATUS_KEY, STANDBY_KEY, STATUS_KEY } from "../http/keys.ts";
import { activityKey, CATEGORIES, parseActivityTileKey } from "./activity/route.ts";
import { matchKey } from "./find.ts";
import { parseObservationTileKey } from "./observations/route.ts";
import { ASSETS_PREFIX } from "./site/route.ts";
import { FILES, ROUTES } from "./table.ts";
import { parseInstallationTelemetryKey } from "./telemetry/route.ts";

export interface ObjectClass {
  /** The key, with `{…}` for the parts that differ between objects of one class. */
  readonly keys: string;
  /** The name in `--only`. Objects without a resource are `lease`, `standby`, `status` and `installations`. */
  readonly resource: string;
}

const OWN: Readonly<Record<string, string>> = {
  [STATUS_KEY]: "lease",
  [STANDBY_KEY]: "standby",
  [PRIVATE_STATUS_KEY]: "status",
  [INSTALLATIONS_KEY]: "installations",
};

const FIXED: ReadonlySet<string> = new Set([
  ...[...ROUTES, ...FILES].flatMap(({ objects, parts = [] }) => [
    ...objects.map(({ key }) => key),
    ...parts.filter((part) => !part.includes("{") && !part.endsWith("/")),
  ]),
  ...CATEGORIES.flatMap((category) => [activityKey(category), constantKey(activityKey(category))]),
]);

export function objectClass(key: string): ObjectClass {
  const own = OWN[key];
  if (own !== undefined) return { keys: key, resource: own };
  const resource = LOG_FILE.test(key) ? "log" : (matchKey(key)?.resource ?? "other");
  return { keys: FIXED.has(key) ? key : template(key), resource };
}

/** A file of a log, public or for recovery only. */
const LOG_FILE = /^((?:private\/)?log\/)\d+\/(checkpoint|tile)(?:\/|$)/;

function template(key: string): string {
  if (parseObservationTileKey(key) !== undefined) {
    return "v1/public/installations/~{installationId}/observations/{log}/{tile}";
  }
  const tile = parseActivityTileKey(key);
  if (tile !== undefined) return `v1/public/activity/${tile.category}/tiles/{tile}`;
  if (parseInstallationTelemetryKey(key) !== undefined) return "v1/public/installations/~{installationId}/telemetry";
  if (key.startsWith(ASSETS_PREFIX)) return `${ASSETS_PREFIX}{asset}`;
  const [, root, file] = LOG_FILE.exec(key) ?? [];
  if (file !== undefined) return `${root}{log}/${file === "checkpoint" ? file : "tile/{tile}"}`;
  return "{other}";
}
