/**
 * The index (docs/spec/publishing.md#index) names the configured installation of a prefix and the log of its facts, and lists
 * the published installations. So an unknown id costs no store read.
 */
import { checkFormat, FORMAT_VERSION } from "../values/format.ts";
import { fieldsOf } from "../values/unknown.ts";
import { INSTALLATIONS_KEY } from "./keys.ts";

/** The most installations of a ledger that one prefix holds. Their index has about 250 kB. */
export const INSTALLATIONS_LIMIT = 10_000;

/** The number of a prefix's first log. */
export const FIRST_LOG = 1;

export interface InstallationIndex {
  /** The single configured public installation. Its telemetry is stored at `TELEMETRY_KEY`. */
  readonly configured: string;
  /** The number of the log from which observations are published. */
  readonly log: number;
  readonly installations: ReadonlySet<string>;
}

/** `{"schemaVersion":1,"configured":…,"log":1,"installations":[id, …]}`, ids in code unit order. */
export function encodeIndex({ configured, log, installations }: InstallationIndex): string {
  return JSON.stringify({
    schemaVersion: FORMAT_VERSION,
    configured,
    log,
    installations: [...installations].toSorted((one, other) => (one < other ? -1 : 1)),
  });
}

/** Throws a SyntaxError if the text is not an index, `Failure` format_unknown. */
export function parseIndex(text: string): InstallationIndex {
  const index: unknown = JSON.parse(text);
  checkFormat(index, INSTALLATIONS_KEY);
  const { schemaVersion, configured, log, installations } = fieldsOf(index);
  if (schemaVersion !== FORMAT_VERSION || typeof configured !== "string") {
    throw new SyntaxError("not an installations index");
  }
  if (typeof log !== "number" || !Number.isSafeInteger(log) || log < FIRST_LOG)
    throw new SyntaxError("no log in the index");
  if (!Array.isArray(installations) || !installations.every((id) => typeof id === "string")) {
    throw new SyntaxError("no installations in the index");
  }
  return { configured, log, installations: new Set(installations) };
}
