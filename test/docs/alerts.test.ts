// The alert rules and the dashboard use existing metrics, and docs/incidents.md explains each alarm.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { metricRegistries } from "../../scripts/reference.ts";
import { anchors } from "./markdown.ts";

const ROOT = new URL("../../docs/", import.meta.url).pathname;
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

/** Labels that Prometheus adds, or that docs/metrics.md assigns to targets. */
const ADDED = ["instance", "job", "component"];

/** The labels of every series of all three processes, by metric name. */
function known(): Map<string, readonly string[]> {
  const series = new Map<string, readonly string[]>();
  for (const { registry } of metricRegistries()) {
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

/** The metrics in a PromQL expression, each with the labels in its selector. */
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
  "every query of %s names existing metrics and labels",
  (file) => {
    const series = known();
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

test("each alarm has a section, and each section has an alarm", () => {
  const rules = read("alerts/noonmark.rules.yml");
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  const runbooks = [...rules.matchAll(/runbook: (.*)$/gm)].map(([, text]) => text);
  expect(runbooks).toEqual(alerts.map((name) => `docs/incidents.md#${name.toLowerCase()}`));
  const sections = anchors(read("incidents.md")).filter((anchor) => anchor.startsWith("noonmark"));
  expect(new Set(sections)).toEqual(new Set(alerts.map((name) => name.toLowerCase())));
});
