/** A rewritten damaged object is reported by its key, even if the publisher has lost its state. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { RECORD_TYPES } from "../../../../src/ledger/intake/record-types.ts";
import { openLedgerForIntake } from "../../../../src/ledger/open.ts";
import { fileOfKey } from "../../../../src/object-store/filesystem/format.ts";
import { ingest } from "../../../ledger/ingest.ts";
import { runCli } from "../../../support/cli.ts";
import { runningCli } from "../../../support/running-cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const SETTINGS = ["--installation-id", "wheel-1", "--ledger", "ledger.db", "--store", "public", "--state", "state"];
const DAMAGED = [
  "v1/public/telemetry",
  "v4/public/process",
  "v1/public/installations/~wheel-1/observations/0",
  "installations",
  "site/index.html",
];

let folder: string;
beforeEach(async () => {
  folder = testFolder();
  const ledger = openLedgerForIntake(join(folder, "ledger.db"));
  ingest(ledger, [RECORD_TYPES.receipt.example]);
  ledger.close();
  expect((await runCli(["publish", "--once", ...SETTINGS], folder)).exitCode).toBe(0);
});

function damage(key: string): void {
  const path = join(folder, "public", fileOfKey(key));
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length - 3));
}

test.each([
  ["kept", () => {}],
  ["lost", () => rmSync(join(folder, "state"), { recursive: true })],
])("publish --once --force with the state %s reports each repaired object", async (_, change) => {
  for (const key of DAMAGED) damage(key);
  change();
  const { stderr, exitCode } = await runCli(["publish", "--once", "--force", "--quiet", ...SETTINGS], folder);
  const named = [...stderr.matchAll(/^noonmark: warning: rewritten: (\S+) was missing or damaged$/gm)].map(
    ([, key]) => key,
  );
  expect([exitCode, named.sort()]).toEqual([0, [...DAMAGED].sort()]);
  const again = await runCli(["publish", "--once", "--quiet", ...SETTINGS], folder);
  expect(again.stderr).not.toContain("rewritten");
});

test("a continuous publisher logs each repaired object", async () => {
  damage("installations");
  rmSync(join(folder, "state"), { recursive: true });
  const log = await runningCli(["publish", ...SETTINGS], folder).printed('"msg":"a missing or damaged object');
  expect(log).toContain('"key":"installations","msg":"a missing or damaged object was rewritten"');
});
