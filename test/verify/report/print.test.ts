import { expect, test } from "vitest";
import { Report, reportJson, reportLines } from "../../../src/verify/report.ts";
import { RULES } from "../../../src/verify/rules.ts";

const REQUEST = "GET /v4/public/process";

test("a finding has request, what was expected and seen; its rule and the counts come last", () => {
  const report = new Report();
  const check = report.on(REQUEST);
  check("headers/cors", true, "*", "*");
  check("headers/cors", false, "*", "a\r\nb");
  report.skip("files", "too long");
  report.skip("files", "too long");
  expect(reportLines(report)).toEqual([
    `FAIL headers/cors ${REQUEST}`,
    "  expected *",
    "  seen     a\\u000d\\u000ab",
    "SKIP files: too long",
    "RULE headers/cors: every response has both CORS headers, except for pages (docs/spec/api.md#http)",
    "2 checks, 1 findings, 1 skipped",
  ]);
  expect(JSON.parse(reportJson(report))).toEqual({
    checks: 2,
    findings: [
      { rule: "headers/cors", request: REQUEST, expected: "*", seen: "a\\u000d\\u000ab", ...RULES.get("headers/cors") },
    ],
    unlisted: 0,
    skipped: [{ what: "files", why: "too long" }],
  });
});

test("a repeated finding counts once, and at most five of one rule and path are listed", () => {
  const report = new Report();
  const queries = ["a", "a", "b", "c", "d", "e", "f", "g"];
  for (const query of queries) report.on(`${REQUEST}?${query}`)("headers/cors", false, "*", "none");
  expect(report.findings.map(({ request }) => request.at(-1))).toEqual(["a", "b", "c", "d", "e"]);
  expect([report.checks, report.unlisted]).toEqual([8, 2]);
});

test("no text of a report is a command to a terminal, or a second line", () => {
  const evil = "x\u001b]0;PWNED\u0007\u001b[2J\nOK 120 checks, 0 findings\u202e";
  const report = new Report();
  report.on(evil)("headers/cors", false, evil, evil);
  report.skip(evil, evil);
  const lines = reportLines(report);
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(reportJson(report)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines).toHaveLength(6);
});
