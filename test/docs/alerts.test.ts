// Alert rules and dashboard read metrics that exist, and each alarm is explained.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import { ingestRegistry } from "../../bin/cli/metrics/ingest-metrics.ts";
import { publisherRegistry } from "../../bin/cli/metrics/publisher-metrics.ts";
import { shimRegistry } from "../../bin/cli/metrics/shim-metrics.ts";
import { PublisherMonitor } from "../../bin/cli/publish/publisher-monitor.ts";
import { Known } from "../../publish/known.ts";
import { ShimCounts } from "../../src/shim/node/shim-counts.ts";
import { anchors } from "./markdown.ts";

const ROOT = new URL("../../docs/", import.meta.url).pathname;
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

/** What Prometheus adds, and what docs/metrics.md gives the targets. */
const ADDED = ["instance", "job", "component"];

/** Every series' name with the labels that it has, of all three pages. */
async function known(): Promise<Map<string, readonly string[]>> {
  const clock = () => 0;
  const monitor = new PublisherMonitor(clock, clock);
  // Nothing was ever published: the names are there all the same.
  const known = { get: () => undefined } as unknown as Known;
  const registries: Registry[] = [
    publisherRegistry({ monitor, known, now: clock, monotonic: clock }),
    shimRegistry(new ShimCounts()),
    ingestRegistry(() => ({ accepted: 0, duplicate: 0, rejected: 0 })),
  ];
  const series = new Map<string, readonly string[]>();
  for (const registry of registries) {
    for (const metric of registry.getMetricsAsArray()) {
      const { name, type } = metric;
      const { labelNames = [] } = metric as { labelNames?: readonly string[] };
      series.set(name, labelNames);
      if (String(type) !== "histogram") continue;
      for (const suffix of ["_bucket", "_count", "_sum"]) series.set(name + suffix, [...labelNames, "le"]);
    }
  }
  return series;
}

interface Used {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Metrics in an expression of PromQL, each with the labels of its selector. */
function usedBy(expression: string): Used[] {
  return [...expression.matchAll(/\b((?:noonmark|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", selector = ""]) => ({
      name,
      labels: [...selector.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, l = ""]) => l),
    }),
  );
}

function groupedBy(expression: string): string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(",").map((l) => l.trim()));
}

function expressionsOf(name: string): string[] {
  if (name.endsWith(".yml")) return [...read(name).matchAll(/^ +expr: (.*)$/gm)].map(([, text = ""]) => text);
  const { panels } = JSON.parse(read(name)) as { panels: { targets?: { expr: string }[] }[] };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

test.each([["alerts/noonmark.rules.yml"], ["alerts/grafana-dashboard.json"]])(
  "every query of %s names metrics and labels that there are",
  async (file) => {
    const series = await known();
    const expressions = expressionsOf(file);
    expect(expressions.length).toBeGreaterThan(10);
    for (const expression of expressions) {
      const used = usedBy(expression);
      if (!expression.startsWith("up{")) expect(used, expression).not.toEqual([]);
      for (const { name, labels } of used) {
        expect([...series.keys()], expression).toContain(name);
        for (const label of labels) expect([...(series.get(name) ?? []), ...ADDED], expression).toContain(label);
      }
      const all = [...used.flatMap(({ name }) => series.get(name) ?? []), ...ADDED];
      for (const label of groupedBy(expression)) expect(all, expression).toContain(label);
    }
  },
);

test("docs/metrics.md lists every metric of ours, and no other", async () => {
  const listed = [...read("metrics.md").matchAll(/^\| `(noonmark_[a-z_]+)/gm)].map(([, name]) => name);
  const ours = [...(await known()).keys()].filter((name) => name.startsWith("noonmark_"));
  const names = ours.filter((name) => !/_(?:bucket|count|sum)$/.test(name));
  expect(new Set(listed)).toEqual(new Set(names));
});

test("each alarm has its section, and each section's alarm is there", () => {
  const rules = read("alerts/noonmark.rules.yml");
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  const runbooks = [...rules.matchAll(/runbook: (.*)$/gm)].map(([, text]) => text);
  expect(runbooks).toEqual(alerts.map((name) => `docs/operating.md#${name.toLowerCase()}`));
  const sections = anchors(read("operating.md")).filter((anchor) => anchor.startsWith("noonmark"));
  expect(new Set(sections)).toEqual(new Set(alerts.map((name) => name.toLowerCase())));
});
