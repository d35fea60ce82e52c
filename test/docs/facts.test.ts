// The examples of docs/facts.md.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ingest } from "../../src/ledger/ingest.ts";
import { exampleLine } from "../../src/ledger/intake/schema/examples.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { FACT_KINDS } from "../../src/ledger/schema.ts";
import { fenced } from "./markdown.ts";

const PAGE = new URL("../../docs/facts.md", import.meta.url).pathname;
const SPECIFICATION = new URL("../../docs/spec/intake.md", import.meta.url).pathname;

test("the examples of docs/facts.md are those of the specification, and each is taken", () => {
  const lines = fenced(readFileSync(PAGE, "utf8"), "json").map((text) => text.trimEnd());
  expect(lines).toEqual(FACT_KINDS.map(exampleLine));
  expect(lines).toEqual(fenced(readFileSync(SPECIFICATION, "utf8"), "json").map((text) => text.trimEnd()));
  const db = openLedgerForIntake(":memory:");
  try {
    expect(lines.map((line) => ingest(db, line).accepted)).toEqual(lines.map(() => 1));
  } finally {
    db.close();
  }
});
