/**
 * The index (docs/spec/publishing.md#index) names the configured installation of a prefix, and lists the published
 * installations. So an unknown id costs no store read.
 */
import { checkFormat, FORMAT_VERSION } from "../values/format.ts";
import { fieldsOf } from "../values/unknown.ts";
import { INSTALLATIONS_KEY } from "./keys.ts";

/** The most installations of a ledger that one prefix holds. Their index has about 250 kB. */
export const INSTALLATIONS_LIMIT = 10_000;

export interface InstallationIndex {
  /** The single configured public installation. Its telemetry is stored at `TELEMETRY_KEY`. */
  readonly configured: string;
  readonly installations: ReadonlySet<string>;
}

/** `{"schemaVersion":1,"configured":…,"installations":[id, …]}`, ids in code unit order. */
export function encodeIndex({ configured, installations }: InstallationIndex): string {
  return JSON.stringify({
    schemaVersion: FORMAT_VERSION,
    configured,
    installations: [...installations].toSorted((one, other) => (one < other ? -1 : 1)),
  });
}

/** Throws a SyntaxError if the text is not an index, `Failure` format_unknown. */
export function parseIndex(text: string): InstallationIndex {
  const index: unknown = JSON.parse(text);
  checkFormat(index, INSTALLATIONS_KEY);
  const { schemaVersion, configured, installations } = fieldsOf(index);
  if (schemaVersion !== FORMAT_VERSION || typeof configured !== "string") {
    throw new SyntaxError("not an installations index");
  }
  if (!Array.isArray(installations) || !installations.every((id) => typeof id === "string")) {
    throw new SyntaxError("no installations in the index");
  }
  return { configured, installations: new Set(installations) };
}
