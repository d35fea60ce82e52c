import SqliteDatabase from "better-sqlite3";
import type { ProjectionsSource } from "../../publish/projections-source.ts";
import type { Settings } from "./settings.ts";

/** The publisher's own projections, or a copy of them that leaves no trace. */
export function openProjectionsFor(_settings: Settings, _use: "own" | "copy"): ProjectionsSource {
  const db = new SqliteDatabase(":memory:");
  return { advance: () => db, close: () => db.close() };
}
