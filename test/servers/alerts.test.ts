// Checks the alert rules with promtool: each alert fires when it should, and none fires in normal operation.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publisherRegistry } from "../../bin/cli/metrics/publisher-metrics.ts";
import { ingestRegistry, shimRegistry } from "../../bin/cli/metrics/registries.ts";
import { PublisherMonitor } from "../../bin/cli/publish/publisher-monitor.ts";
import { WatchedClock } from "../../publish/clock/clock.ts";
import { ShimCounts } from "../../src/shim/node/store-reader.ts";
import { sharedFolder } from "../support/test-folder.ts";

const RULES = new URL("../../docs/alerts/noonmark.rules.yml", import.meta.url).pathname;
const DASHBOARD = new URL("../../docs/alerts/grafana-dashboard.json", import.meta.url).pathname;
const P = 'instance="p:9464", job="noonmark"';
const S = 'instance="s:9465", job="noonmark"';

interface Case {
  /** For series with a fault from the start: one value per minute. */
  readonly series: Readonly<Record<string, string>>;
  /** The last minute at which the alert is pending, and the first at which it fires. */
  readonly pending: number;
  readonly firing: number;
  readonly labels: Readonly<Record<string, string>>;
}

const ofPublisher = { instance: "p:9464", job: "noonmark" };
const ofInstance = (instance: string) => ({ instance });

const CASES: Readonly<Record<string, Case>> = {
  NoonmarkDown: { series: { [`up{${P}}`]: "0x60" }, pending: 1, firing: 2, labels: ofPublisher },
  NoonmarkNobodyPublishes: {
    series: { [`noonmark_lease_state{${P}, state="publishing"}`]: "0x60" },
    pending: 1,
    firing: 2,
    labels: {},
  },
  NoonmarkUnhealthy: { series: { [`noonmark_healthy{${P}}`]: "0x60" }, pending: 1, firing: 2, labels: ofPublisher },
  NoonmarkUnpublished: {
    series: { [`noonmark_unpublished{${P}, code="ledger_behind"}`]: "2x60" },
    pending: 4,
    firing: 5,
    labels: { instance: "p:9464", code: "ledger_behind" },
  },
  NoonmarkResponseUnavailable: {
    series: { [`noonmark_response_status_code{${P}, route="/v2/public/stats?range=7d"}`]: "503x60" },
    pending: 14,
    firing: 15,
    labels: { ...ofPublisher, route: "/v2/public/stats?range=7d" },
  },
  NoonmarkCyclesSlow: {
    series: {
      [`noonmark_cycle_duration_seconds_bucket{${P}, outcome="done", le="10"}`]: "0x60",
      [`noonmark_cycle_duration_seconds_bucket{${P}, outcome="done", le="30"}`]: "0+6x60",
      [`noonmark_cycle_duration_seconds_bucket{${P}, outcome="done", le="+Inf"}`]: "0+6x60",
    },
    pending: 15,
    firing: 17,
    labels: ofInstance("p:9464"),
  },
  NoonmarkLeaseChangesHands: {
    // An epoch is at least its instant in ms.
    series: { [`noonmark_lease_epoch{${P}}`]: "1795000000000+60000x60" },
    pending: 3,
    firing: 5,
    labels: {},
  },
  NoonmarkClockMoved: {
    series: { [`noonmark_clock_moves_total{${P}}`]: "0 0 0 1 1 1 1" },
    pending: 2,
    firing: 4,
    labels: ofInstance("p:9464"),
  },
  NoonmarkPutsFail: {
    series: { [`noonmark_puts_total{${P}, resource="process", outcome="failed"}`]: "0+1x60" },
    pending: 5,
    firing: 7,
    labels: ofInstance("p:9464"),
  },
  NoonmarkStoreUnreadable: {
    series: { [`noonmark_store_reads_total{${S}, outcome="failed"}`]: "0+1x60" },
    pending: 5,
    firing: 7,
    labels: ofInstance("s:9465"),
  },
  NoonmarkStoreDamaged: {
    series: { [`noonmark_store_reads_total{${S}, outcome="damaged"}`]: "0 0 0 1 1 1 1" },
    pending: 2,
    firing: 4,
    labels: ofInstance("s:9465"),
  },
  NoonmarkLedgerUnreadable: {
    series: { [`noonmark_ledger_state{${P}, state="behind"}`]: "1x60" },
    pending: 1,
    firing: 2,
    labels: { ...ofPublisher, state: "behind" },
  },
  NoonmarkStandbyNotReady: {
    series: {
      [`noonmark_ledger_state{${P}, state="behind"}`]: "1x60",
      [`noonmark_lease_state{${P}, state="standby"}`]: "1x60",
    },
    pending: 9,
    firing: 10,
    labels: { ...ofPublisher, state: "behind" },
  },
  NoonmarkNoReceipts: {
    series: { [`noonmark_ledger_lag_seconds{${P}}`]: "850+60x60" },
    pending: 5,
    firing: 6,
    labels: ofPublisher,
  },
  NoonmarkChainSilent: {
    series: { [`noonmark_chain_state{${P}, state="silent"}`]: "1x60" },
    pending: 4,
    firing: 5,
    labels: { ...ofPublisher, state: "silent" },
  },
  NoonmarkChainMismatch: {
    series: { [`noonmark_chain_state{${P}, state="mismatch"}`]: "1x60" },
    pending: 0,
    firing: 1,
    labels: { ...ofPublisher, state: "mismatch" },
  },
  NoonmarkChainLags: {
    series: { [`noonmark_chain_lag_blocks{${P}}`]: "101x60" },
    pending: 9,
    firing: 10,
    labels: ofPublisher,
  },
  NoonmarkNodeStalled: {
    series: { [`noonmark_rpc_node_stalled{${P}, node="n"}`]: "1x60" },
    pending: 4,
    firing: 5,
    labels: { ...ofInstance("p:9464"), node: "n" },
  },
  NoonmarkRpcFails: {
    series: {
      [`noonmark_rpc_requests_total{${P}, outcome="responded"}`]: "0+4x60",
      [`noonmark_rpc_requests_total{${P}, outcome="silent"}`]: "0+5x60",
    },
    pending: 10,
    firing: 12,
    labels: ofInstance("p:9464"),
  },
  NoonmarkShimErrors: {
    series: {
      [`noonmark_shim_requests_total{${S}, route="/v4/public/process", status="200"}`]: "0+90x60",
      [`noonmark_shim_requests_total{${S}, route="/v4/public/process", status="503"}`]: "0+6x60",
    },
    pending: 5,
    firing: 7,
    labels: ofInstance("s:9465"),
  },
  NoonmarkIngestRejects: {
    series: { [`noonmark_ingest_lines_total{instance="i:9466", job="noonmark", outcome="rejected"}`]: "0 0 0 3 3 3" },
    pending: 2,
    firing: 4,
    labels: ofInstance("i:9466"),
  },
};

/** A publisher, a standby, a shim and an intake in normal operation, for an hour. */
const WELL: Readonly<Record<string, string>> = {
  [`up{${P}}`]: "1x60",
  [`up{${S}}`]: "1x60",
  [`noonmark_lease_state{${P}, state="publishing"}`]: "1x60",
  'noonmark_lease_state{instance="q:9464", job="noonmark", state="publishing"}': "0x60",
  [`noonmark_healthy{${P}}`]: "1x60",
  [`noonmark_response_status_code{${P}, route="/v4/public/process"}`]: "200x60",
  [`noonmark_cycle_duration_seconds_bucket{${P}, outcome="done", le="10"}`]: "0+6x60",
  [`noonmark_cycle_duration_seconds_bucket{${P}, outcome="done", le="+Inf"}`]: "0+6x60",
  [`noonmark_lease_epoch{${P}}`]: "1795000000000x30 1795001800000x29",
  [`noonmark_puts_total{${P}, resource="process", outcome="done"}`]: "0+60x60",
  [`noonmark_puts_total{${P}, resource="process", outcome="failed"}`]: "4x60",
  [`noonmark_store_reads_total{${S}, outcome="found"}`]: "0+60x60",
  [`noonmark_store_reads_total{${S}, outcome="failed"}`]: "2x60",
  [`noonmark_store_reads_total{${S}, outcome="damaged"}`]: "1x60",
  [`noonmark_ledger_state{${P}, state="followed"}`]: "1x60",
  [`noonmark_ledger_state{${P}, state="unreadable"}`]: "0x60",
  [`noonmark_ledger_lag_seconds{${P}}`]: "60x60",
  [`noonmark_chain_state{${P}, state="followed"}`]: "1x60",
  [`noonmark_chain_state{${P}, state="silent"}`]: "0x60",
  [`noonmark_chain_state{${P}, state="mismatch"}`]: "0x60",
  [`noonmark_chain_lag_blocks{${P}}`]: "13x60",
  [`noonmark_rpc_requests_total{${P}, outcome="responded"}`]: "0+5x60",
  [`noonmark_rpc_requests_total{${P}, outcome="rate"}`]: "0+4x60",
  [`noonmark_shim_requests_total{${S}, route="/v4/public/process", status="200"}`]: "0+97x60",
  [`noonmark_shim_requests_total{${S}, route="/v4/public/process", status="503"}`]: "0+3x60",
  'noonmark_ingest_lines_total{instance="i:9466", job="noonmark", outcome="rejected"}': "9x60",
};

interface Rule {
  readonly name: string;
  readonly severity: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The rules, parsed by the fixed formatting of the file. */
const rules: Rule[] = readFileSync(RULES, "utf8")
  .split("- alert: ")
  .slice(1)
  .map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? "",
    severity: /severity: (\w+)/.exec(text)?.[1] ?? "",
    annotations: Object.fromEntries(
      [...text.matchAll(/^ +(summary|runbook): (.*)$/gm)].map(([, key = "", value = ""]) => [key, value]),
    ),
  }));

const directory = sharedFolder();

/** Returns the output of promtool, and throws if it reports an error. JSON is valid YAML. */
function promtool(...args: string[]): string {
  return execFileSync("promtool", args, { encoding: "utf8", stdio: "pipe" });
}

interface Expected {
  readonly minute: number;
  readonly rule: Rule;
  /** Labels of the alert that fires; undefined if it must not fire. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

function testRules(series: Readonly<Record<string, string>>, expected: readonly Expected[]): string {
  const file = join(directory, "test.yml");
  const cases = expected.map(({ minute, rule, labels }) => ({
    eval_time: `${minute}m`,
    alertname: rule.name,
    exp_alerts:
      labels === undefined
        ? []
        : [{ exp_labels: { severity: rule.severity, ...labels }, exp_annotations: rule.annotations }],
  }));
  const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const tests = [{ interval: "1m", input_series: input, alert_rule_test: cases }];
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests }));
  return promtool("test", "rules", file);
}

test("promtool accepts the rules, and each rule has a case here", () => {
  expect(promtool("check", "rules", RULES)).toMatch(`${rules.length} rules found`);
  expect(rules.map(({ name }) => name)).toEqual(Object.keys(CASES));
});

test.each(rules)("$name fires in time, and not earlier", (rule) => {
  const { series, pending, firing, labels } = CASES[rule.name] as Case;
  const silent = { minute: pending, rule, labels: undefined };
  expect(testRules(series, [silent, { minute: firing, rule, labels }])).toMatch("SUCCESS");
  // A case that cannot fail would also pass the previous check.
  expect(() => testRules(series, [{ minute: firing, rule, labels: undefined }])).toThrow();
});

test("no alarm fires in normal operation", () => {
  const expected = rules.flatMap((rule) => [5, 20, 59].map((minute) => ({ minute, rule, labels: undefined })));
  expect(testRules(WELL, expected)).toMatch("SUCCESS");
});

test("a standby that is not ready is no ledger that cannot be published from", () => {
  const rule = rules.find(({ name }) => name === "NoonmarkLedgerUnreadable") as Rule;
  const { series } = CASES.NoonmarkStandbyNotReady as Case;
  expect(testRules(series, [{ minute: 30, rule, labels: undefined }])).toMatch("SUCCESS");
});

test("without any publisher the alarm for a missing publisher fires", () => {
  const rule = rules.find(({ name }) => name === "NoonmarkNobodyPublishes") as Rule;
  expect(testRules({ [`up{${S}}`]: "1x60" }, [{ minute: 2, rule, labels: {} }])).toMatch("SUCCESS");
});

test("promtool accepts the names, types and help texts of every metric", async () => {
  const monitor = new PublisherMonitor(new WatchedClock({ wall: () => 0, monotonic: () => 0 }), () => 0);
  const counts = new ShimCounts();
  counts.count(undefined, 404);
  monitor.requested("put", "private/head.json", "done");
  monitor.rpcRequested("responded");
  const registries = [
    publisherRegistry(monitor),
    shimRegistry(counts),
    ingestRegistry(() => ({ accepted: 1, duplicate: 0, rejected: 0 })),
  ];
  for (const registry of registries) {
    const input = await registry.metrics();
    expect(input).toContain("\nnoonmark_");
    expect(execFileSync("promtool", ["check", "metrics"], { input, encoding: "utf8", stdio: "pipe" })).toBe("");
  }
});

test("promtool can parse every query of the dashboard", () => {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, "utf8")) as { panels: { targets?: { expr: string }[] }[] };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const groups = [{ name: "g", rules: queries.map((expr, n) => ({ record: `panel:query${n}`, expr })) }];
  const file = join(directory, "queries.yml");
  writeFileSync(file, JSON.stringify({ groups }));
  expect(promtool("check", "rules", file)).toMatch(`${queries.length} rules found`);
});
