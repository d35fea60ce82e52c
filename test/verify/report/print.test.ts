import { expect, test } from "vitest";
import { family, Report, reportJson, reportLines } from "../../../src/judge/report.ts";

const RULES = family("headers", {
  cors: ["every response has it", "pass it"],
  once: ["once", "once only", "docs/spec/api.md#http"],
});
const PROCESS = { name: "process", spec: "docs/spec/api.md#process" } as const;

test("each finding is one line for any text, and the counts come last", () => {
  const report = new Report();
  report.check(RULES.cors, PROCESS, true, () => ({ expected: "never asked", saw: "never asked" }));
  report.check(RULES.cors, PROCESS, false, () => ({ expected: "*", saw: "a\r\nb" }));
  report.check(RULES.once, PROCESS, false, () => ({ expected: "one", saw: "two", fix: "this one" }));
  report.skip({ name: "walk" }, "too long");
  report.skip({ name: "walk" }, "too long");
  expect(reportLines(report)).toEqual([
    "FAIL headers/cors process: expected *, saw a\\u000d\\u000ab (docs/spec/api.md#process; fix: pass it)",
    "FAIL headers/once process: expected one, saw two (docs/spec/api.md#http; fix: this one)",
    "SKIP walk: too long",
    "3 checks, 2 findings, 1 skipped",
  ]);
  expect(JSON.parse(reportJson(report))).toEqual({
    checks: 3,
    findings: [
      {
        rule: "headers/cors",
        route: "process",
        expected: "*",
        saw: "a\\u000d\\u000ab",
        spec: "docs/spec/api.md#process",
        fix: "pass it",
      },
      {
        rule: "headers/once",
        route: "process",
        expected: "one",
        saw: "two",
        spec: "docs/spec/api.md#http",
        fix: "this one",
      },
    ],
    skipped: [{ rule: "walk", why: "too long" }],
  });
});

test("a repeated finding counts once, and at most five of one kind are kept", () => {
  const report = new Report();
  for (const saw of ["a", "a", "b", "c", "d", "e", "f", "g"]) {
    report.check(RULES.cors, PROCESS, false, () => ({ expected: "*", saw }));
  }
  expect(report.findings.map(({ saw }) => saw)).toEqual(["a", "b", "c", "d", "e"]);
  expect(report.checks).toBe(8);
});

test("no text of a report is a command to a terminal, or a second line", () => {
  const evil = "x\u001b]0;PWNED\u0007\u001b[2J\nOK 120 checks, 0 findings\u202e";
  const report = new Report();
  report.check(RULES.cors, { ...PROCESS, name: evil }, false, () => ({ expected: evil, saw: evil, fix: evil }));
  report.skip({ name: "walk" }, evil);
  for (const line of reportLines(report)) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(reportJson(report)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(reportLines(report)).toHaveLength(3);
});
