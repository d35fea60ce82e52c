/** Pages whose figures and examples come from the program. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAILURES, FILE_FAILURES } from "../../bin/cli/failures.ts";
import { exampleLine } from "../../src/ledger/intake/record-types.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { FACT_KINDS } from "../../src/ledger/schema.ts";
import { CODES } from "../../src/verify/response.ts";
import { ingest } from "../ledger/ingest.ts";
import { fenced } from "./markdown.ts";

const ROOT = join(import.meta.dirname, "../..");
const FACTS = new URL("../../docs/facts.md", import.meta.url).pathname;

test("docs/facts.md has the example of each record type, and each is accepted", () => {
  const lines = fenced(readFileSync(FACTS, "utf8"), "json").map((text) => text.trimEnd());
  expect(lines).toEqual(FACT_KINDS.map(exampleLine));
  const db = openLedgerForIntake(":memory:");
  try {
    expect(lines.map((line) => ingest(db, line).accepted)).toEqual(lines.map(() => 1));
  } finally {
    db.close();
  }
});

test("each code of a failure is raised somewhere", () => {
  const source = globSync("{src,bin,publish,cdn-config,demo}/**/*.ts", { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), "utf8"))
    .join("");
  const raised = [...source.matchAll(/(?:new Failure\(\s*|\bcode(?:: FailureCode)? = )"(\w+)"/g)].map(
    ([, code]) => code,
  );
  const ofFiles = [...source.matchAll(/`\$\{(?:kind\.)?name\}_(\w+)`|fault: "(\w+)"/g)].map(
    ([, code, fault]) => code ?? fault,
  );
  const isRaised = (code: string) => raised.includes(code) || ofFiles.includes(code.slice(code.indexOf("_") + 1));
  expect(Object.keys(FAILURES).filter((code) => !isRaised(code))).toEqual([]);
  expect(Object.keys(FILE_FAILURES).filter((code) => !ofFiles.includes(code))).toEqual([]);
});

test("the codes of the API's specification are those of the contract", () => {
  const page = readFileSync(new URL("../../docs/spec/api.md", import.meta.url), "utf8");
  const section = page.split('<a id="errors"></a>')[1]?.split('<a id="')[0] ?? "";
  const written = [...section.matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm)].map(
    ([, status, code]) => `${status} ${code}`,
  );
  const judged = [...CODES].flatMap(([status, codes]) => [...codes].map((code) => `${status} ${code}`));
  expect(written.toSorted()).toEqual(judged.toSorted());
});
