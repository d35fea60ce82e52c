import { copiedProjections, ownProjections, type ProjectionsSource } from "../../publish/projections-source.ts";
import type { Settings } from "./settings.ts";

/** The publisher's own projections, or a copy of them that leaves no trace. */
export function openProjectionsFor({ state }: Settings, use: "own" | "copy"): ProjectionsSource {
  return use === "own" ? ownProjections(state) : copiedProjections(state);
}
