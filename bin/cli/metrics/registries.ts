/**
 * The metrics of a process, of `ingest --follow` and of `serve`. Each request of the page reads them from plain
 * numbers, so that counting needs no library.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";
import { packageVersion } from "../../../src/files/package-file.ts";
import type { Counts } from "../../../src/ledger/intake/intake.ts";
import type { ShimCounts } from "../../../src/shim/node/store-reader.ts";

/** A sample's label values, in the order of the metric's labels, then its value. */
export type Sample = readonly [...labels: string[], value: number];

/** A counter if its name ends in `_total`, with totals since the process started. Otherwise a gauge. */
export type Metric = {
  readonly name: string;
  readonly help: string;
} & (
  | {
      /** Returns the value; undefined if unknown. */
      read(): number | undefined;
    }
  | {
      readonly labels: readonly string[];
      samples(): Iterable<Sample>;
    }
);

/** Interval (ms) at which the event loop's lag is measured. */
const PRECISION_MS = 20;

/** Default metrics whose names break Prometheus' rules, and quantiles, which cannot be added over processes. */
const UNWANTED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];

/** Returns a registry with metrics of this process: CPU, memory, files, event loop, garbage collection, versions. */
export function processRegistry(metrics: readonly Metric[] = []): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION_MS });
  for (const name of UNWANTED) registry.removeSingleMetric(name);
  new Gauge({
    name: "noonmark_build_info",
    help: "Always 1; the version of Noonmark.",
    labelNames: ["version"],
    registers: [registry],
  }).set({ version: packageVersion() }, 1);
  register(registry, metrics);
  return registry;
}

/** Registers metrics. Unknown values are omitted, never reported as 0. */
export function register(registry: Registry, metrics: readonly Metric[]): void {
  for (const metric of metrics) {
    const { name, help } = metric;
    const labelNames = "labels" in metric ? [...metric.labels] : [];
    const Kind = name.endsWith("_total") ? Counter : Gauge;
    const collected = new Kind({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        collected.reset();
        // Resetting a metric without labels leaves a 0.
        if (labelNames.length === 0) collected.remove();
        for (const sample of samplesOf(metric)) {
          const labels = labelNames.map((label, index) => [label, String(sample[index])]);
          collected.inc(Object.fromEntries(labels), Number(sample.at(-1)));
        }
      },
    });
  }
}

function samplesOf(metric: Metric): Iterable<Sample> {
  if ("labels" in metric) return metric.samples();
  const value = metric.read();
  return value === undefined ? [] : [[value]];
}

/** The metric of each process that reads the store. */
export function storeReads(samples: () => Iterable<Sample>): Metric {
  return {
    name: "noonmark_store_reads_total",
    help: "Objects read from the store, by outcome: found, absent, damaged, failed.",
    labels: ["outcome"],
    samples,
  };
}

export function ingestRegistry(counts: () => Counts): Registry {
  return processRegistry([
    {
      name: "noonmark_ingest_lines_total",
      help: "Lines of the followed input, by outcome: accepted, duplicate, rejected.",
      labels: ["outcome"],
      samples: () => Object.entries(counts()),
    },
  ]);
}

export function shimRegistry(counts: ShimCounts): Registry {
  return processRegistry([
    {
      name: "noonmark_shim_requests_total",
      help: "Responses by the route's template (none: no route) and HTTP status.",
      labels: ["route", "status"],
      samples: () => [...counts.requests()].map(({ route, status, count }) => [route, String(status), count] as const),
    },
    storeReads(() => Object.entries(counts.reads)),
  ]);
}
