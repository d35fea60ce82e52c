/**
 * Metrics of a process, of `ingest --follow` and of `serve`. They are read from plain numbers at each request of the page, so that
 * counting needs no library.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";
import { packageVersion } from "../../../src/files/package-file.ts";
import type { Counts } from "../../../src/ledger/intake/intake.ts";
import type { ShimCounts } from "../../../src/shim/node/store-reader.ts";

/** How often the event loop's utilization is measured (ms). */
const UTILIZATION_MS = 1_000;
const PRECISION_MS = 20;

/** A registry with metrics of this process: CPU, memory, files, event loop, garbage collection, versions. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({
    register: registry,
    eventLoopUtilizationTimeout: UTILIZATION_MS,
    eventLoopMonitoringPrecision: PRECISION_MS,
  });
  // Quantiles of several workers cannot be summed. The histogram of the same values can.
  registry.removeSingleMetric("nodejs_eventloop_utilization_summary");
  new Gauge({
    name: "noonmark_build_info",
    help: "Always 1; the version of Noonmark.",
    labelNames: ["version"],
    aggregator: "first",
    registers: [registry],
  }).set({ version: packageVersion() }, 1);
  return registry;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Described {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** `samples`: totals since the process began. */
export function collectedCounter(registry: Registry, of: Described, samples: () => Iterable<Sample>): void {
  const counter = new Counter({
    ...configuration(registry, of),
    collect() {
      counter.reset();
      for (const { labels, value } of samples()) counter.inc({ ...labels }, value);
    },
  });
}

/** An unknown sample is omitted, never reported as 0. */
export function collectedGauge(registry: Registry, of: Described, samples: () => Iterable<Sample>): void {
  const gauge = new Gauge({
    ...configuration(registry, of),
    collect() {
      gauge.reset();
      // Without labels a reset would leave a 0.
      if (of.labels === undefined) gauge.remove();
      for (const { labels, value } of samples()) gauge.set({ ...labels }, value);
    },
  });
}

/** Sets the current state to 1, and the others to 0. */
export function* oneOf(label: string, states: readonly string[], current: string): Iterable<Sample> {
  for (const state of states) yield { labels: { [label]: state }, value: state === current ? 1 : 0 };
}

/** The value of a gauge without labels; omitted if it is unknown. */
export function* single(value: number | undefined): Iterable<Sample> {
  if (value !== undefined) yield { labels: {}, value };
}

function configuration(registry: Registry, { name, help, labels = [] }: Described) {
  return { name, help, labelNames: [...labels], registers: [registry] };
}

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
