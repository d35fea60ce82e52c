// noonmark ledger export: the lines of a ledger, which ingest takes again.
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { exampleLine } from "../../../../src/ledger/intake/record-types.ts";
import { logPoint } from "../../../../src/ledger/log.ts";
import { openLedgerForReading } from "../../../../src/ledger/open.ts";
import { FACT_KINDS } from "../../../../src/ledger/schema.ts";
import { module, receipt } from "../../../ledger/samples.ts";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const ingest = (name: string, lines: string) => runCli(["ingest", "-", "--ledger", name], folder, lines);
const exported = async (...flags: string[]) => {
  const { exitCode, stdout, stderr } = await runCli(["ledger", "export", "--ledger", "a.db", ...flags], folder);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
};
function pointOf(name: string) {
  const ledger = openLedgerForReading(join(folder, name));
  try {
    return logPoint(ledger);
  } finally {
    ledger.close();
  }
}

test("a ledger that takes an export has the same log", async () => {
  const odd = receipt(3, { installationId: "wheel-2", softwareVersion: 'größe "1"\\ \u2028' });
  const free = module({
    observedAt: "2026-11-21T10:00:00.000Z",
    data: { a: "\n" },
    configurationVersion: "8",
    enabled: false,
  });
  const lines = [...FACT_KINDS.map(exampleLine), JSON.stringify(odd), JSON.stringify(free)];
  expect(await ingest("a.db", lines.join("\n"))).toMatchObject({ exitCode: 0 });
  const text = await exported();
  expect(text.split("\n")).toHaveLength(lines.length + 1);
  expect(await ingest("b.db", text)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(pointOf("b.db")).toEqual(pointOf("a.db"));
});

test("a long ledger is exported page by page, and the first entries can be left out", async () => {
  expect(
    await ingest("a.db", Array.from({ length: 2500 }, (_, n) => JSON.stringify(receipt(n + 1))).join("\n")),
  ).toMatchObject({ exitCode: 0 });
  const lines = (await exported()).split("\n");
  expect(lines).toHaveLength(2501);
  expect((await exported("--skip", "999")).split("\n")).toEqual(lines.slice(999));
  expect(await exported("--skip", "2500")).toBe("");
  await ingest("b.db", lines.slice(0, 999).join("\n"));
  await ingest("b.db", lines.slice(999).join("\n"));
  expect(pointOf("b.db")).toEqual(pointOf("a.db"));
});

test("without a ledger nothing is exported", async () => {
  const run = (path: string) => runCli(["ledger", "export", "--ledger", path], folder);
  expect(await run("none")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("invalid_setting") });
  expect(await run("missing.db")).toMatchObject({ exitCode: 74, stdout: "" });
});
