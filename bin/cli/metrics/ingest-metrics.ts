/** The metrics of `ingest --follow`. */
import type { Registry } from "@prometheus-io/client";
import type { Counts } from "../../../src/ledger/intake/intake.ts";
import { collectedCounter } from "./collected.ts";
import { processRegistry } from "./process-registry.ts";

export function ingestRegistry(counts: () => Counts): Registry {
  const registry = processRegistry();
  collectedCounter(
    registry,
    {
      name: "noonmark_ingest_lines_total",
      help: "Lines of the followed files, by outcome: accepted, duplicate, rejected.",
      labels: ["outcome"],
    },
    () => Object.entries(counts()).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  return registry;
}
