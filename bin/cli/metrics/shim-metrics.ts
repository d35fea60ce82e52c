/** The metrics of `serve`. */
import type { Registry } from "@prometheus-io/client";
import type { ShimCounts } from "../../../src/shim/node/shim-counts.ts";
import { collectedCounter } from "./collected.ts";
import { processRegistry } from "./process-registry.ts";

export function shimRegistry(counts: ShimCounts): Registry {
  const registry = processRegistry();
  collectedCounter(
    registry,
    {
      name: "noonmark_shim_requests_total",
      help: "Responses by the route's template (none: no route) and HTTP status.",
      labels: ["route", "status"],
    },
    function* () {
      for (const { route, status, count } of counts.requests()) {
        yield { labels: { route, status: String(status) }, value: count };
      }
    },
  );
  collectedCounter(
    registry,
    {
      name: "noonmark_store_reads_total",
      help: "Objects read from the store, by outcome: found, absent, damaged, failed.",
      labels: ["outcome"],
    },
    () => Object.entries(counts.reads).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  return registry;
}
