import { join } from "node:path";
import { type ProjectionsSource, projectionsSource } from "../../publish/projections-source.ts";
import { openProjections, openProjectionsCopy, PROJECTIONS_FILE } from "../../src/projections/open.ts";
import type { Settings } from "./settings.ts";

/** The publisher's own projections, or a copy of them that leaves no trace. */
export function openProjectionsFor(settings: Settings, use: "own" | "copy"): ProjectionsSource {
  const path = join(settings.state, PROJECTIONS_FILE);
  return projectionsSource(use === "own" ? openProjections(path) : openProjectionsCopy(path));
}
