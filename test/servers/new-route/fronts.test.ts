/** A new route is served by every front, without any step for one of them. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addContractAndPublication, addRow, copyOfTree, generate } from "./copy.ts";

const VITEST = join(import.meta.dirname, "../../../node_modules/vitest/vitest.mjs");
const copy = copyOfTree();

test("workerd, nginx and Varnish serve a new route according to its exchanges", () => {
  addRow(copy);
  addContractAndPublication(copy);
  generate(copy);
  const report = join(copy, "report.json");
  const suites = [
    "test/servers/workerd/workerd-scripts.test.ts",
    "test/servers/nginx.test.ts",
    "test/servers/varnish.test.ts",
  ];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [VITEST, "run", ...suites, "-t", "heartbeat", "--maxWorkers", "1"],
    {
      cwd: copy,
      encoding: "utf8",
      env: { ...process.env, NOONTEST_TEST_REPORT: report },
    },
  );
  type Report = { testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[] };
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const found = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "skipped")
      .map(({ fullName, status }) => [name, fullName, status]),
  );
  expect(found.filter(([, , status]) => status !== "passed")).toEqual([]);
  for (const suite of suites)
    expect(
      found.map(([name]) => name),
      `${suite}: ${stdout.slice(-2_000)} ${stderr.slice(-2_000)}`,
    ).toContain(join(copy, suite));
});
