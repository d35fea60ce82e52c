/** Pages whose figures and examples come from the program. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAILURES } from "../../bin/cli/failures.ts";
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

test("each code that is thrown has its row in the table of failures, and each row is of a code that is thrown", () => {
  const source = globSync("{src,bin,publish,cdn-config,demo}/**/*.ts", { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), "utf8"))
    .join("");
  const literals = [...source.matchAll(/(?:new Failure\(\s*|readonly code(?:: string)? = )"(\w+)"/g)].map(
    ([, code]) => code,
  );
  const ofFiles = [...source.matchAll(/new Failure\(`\$\{subject(?:Of\(kind\.name\))?\}_(\w+)`/g)].flatMap(
    ([, fault]) => [`ledger_${fault}`, `state_${fault}`],
  );
  const others = [...source.matchAll(/new Failure\(\s*([^"\s][^,)]*)/g)].map(([, code]) => code);
  expect(others.filter((code) => !/^`\$\{subject|^(?:error\.)?code$/.test(code ?? ""))).toEqual([]);
  expect([...new Set([...literals, ...ofFiles])].toSorted()).toEqual(Object.keys(FAILURES).toSorted());
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
