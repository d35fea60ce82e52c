/**
 * The index object (docs/spec/publishing.md#objects): which installations are published and under which history, so
 * that an unknown id costs no read of its own.
 */

export interface Installations {
  /** The single configured public installation; its telemetry has `TELEMETRY_KEY`. */
  readonly configured: string;
  /** By installation id: the history id its tiles stand under. */
  readonly histories: ReadonlyMap<string, string>;
}

/** `{"schemaVersion":1,"configured":…,"installations":{id:{"history":…}}}`, ids in code unit order. */
export function encodeInstallations({ configured, histories }: Installations): string {
  const ids = [...histories.keys()].toSorted();
  const installations = Object.fromEntries(ids.map((id) => [id, { history: histories.get(id) }]));
  return JSON.stringify({ schemaVersion: 1, configured, installations });
}

/** Throws a SyntaxError where the text is not an index of this version. */
export function parseInstallations(text: string): Installations {
  const index: unknown = JSON.parse(text);
  if (!isRecord(index) || index.schemaVersion !== 1) throw new SyntaxError("not an installations index of version 1");
  const { configured, installations } = index;
  if (typeof configured !== "string" || !isRecord(installations)) throw new SyntaxError("not an installations index");
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
