/** Metrics that are read from elsewhere at each request of the page, so that counting needs no library. */
import { Counter, Gauge, type Registry } from "@prometheus-io/client";

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

/** An unknown sample is left out: no metric is 0 in its place. */
export function collectedGauge(registry: Registry, of: Described, samples: () => Iterable<Sample>): void {
  const gauge = new Gauge({
    ...configuration(registry, of),
    collect() {
      gauge.reset();
      // Without labels a reset leaves a 0 behind.
      if (of.labels === undefined) gauge.remove();
      for (const { labels, value } of samples()) gauge.set({ ...labels }, value);
    },
  });
}

/** One of several states: 1 for the one that holds, 0 for the others. */
export function* oneOf(label: string, states: readonly string[], current: string): Iterable<Sample> {
  for (const state of states) yield { labels: { [label]: state }, value: state === current ? 1 : 0 };
}

/** The one value of a gauge without labels; none if it is unknown. */
export function* single(value: number | undefined): Iterable<Sample> {
  if (value !== undefined) yield { labels: {}, value };
}

function configuration(registry: Registry, { name, help, labels = [] }: Described) {
  return { name, help, labelNames: [...labels], registers: [registry] };
}
