/**
 * The index (docs/spec/publishing.md#index) names the configured installation of a prefix, and lists the published
 * installations with their histories. So an unknown id costs no store read.
 */
import { checkFormat, FORMAT_VERSION } from "../values/format.ts";
import { INSTALLATIONS_KEY } from "./keys.ts";

/** The most installations of a ledger that one prefix holds. Their index has about 400 kB. */
export const INSTALLATIONS_LIMIT = 10_000;

/** The history id of each installation's tiles, by installation id. */
export type HistoryNames = ReadonlyMap<string, string>;

export interface InstallationIndex {
  /** The single configured public installation. Its telemetry is stored at `TELEMETRY_KEY`. */
  readonly configured: string;
  readonly histories: HistoryNames;
}

/** `{"schemaVersion":1,"configured":…,"installations":{id:{"history":…}}}`, ids in code unit order. */
export function encodeIndex({ configured, histories }: InstallationIndex): string {
  const ids = [...histories.keys()].toSorted();
  const installations = Object.fromEntries(ids.map((id) => [id, { history: histories.get(id) }]));
  return JSON.stringify({ schemaVersion: FORMAT_VERSION, configured, installations });
}

/** Throws a SyntaxError if the text is not an index, `Failure` format_unknown. */
export function parseIndex(text: string): InstallationIndex {
  const index: unknown = JSON.parse(text);
  checkFormat(index, INSTALLATIONS_KEY);
  if (!isRecord(index) || index.schemaVersion !== FORMAT_VERSION || typeof index.configured !== "string") {
    throw new SyntaxError("not an installations index");
  }
  const { configured, installations } = index;
  if (!isRecord(installations)) throw new SyntaxError("no installations in the index");
  const histories = new Map<string, string>();
  for (const [id, entry] of Object.entries(installations)) {
    if (!isRecord(entry) || typeof entry.history !== "string") throw new SyntaxError(`no history for ${id}`);
    histories.set(id, entry.history);
  }
  return { configured, histories };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
