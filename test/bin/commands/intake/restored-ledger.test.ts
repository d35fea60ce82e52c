/** `noonmark ingest` must not let a restored or new ledger fork from what is published (docs/spec/intake.md#behind). */
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type Json, oracle, receipt } from "../../../ledger/samples.ts";
import { type Finished, runCli } from "../../../support/cli.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

let directory: string;
beforeEach(() => {
  directory = configuredFolder();
  writeFileSync(join(directory, "noonmark.json"), '{ "installationId": "wheel-1", "genesisTimestamp": 0 }');
});

const LEDGER = ".noonmark/ledger.db";
const at = (name: string) => join(directory, name);

function run(...arguments_: string[]): Promise<Finished> {
  return runCli(arguments_, directory);
}

function ingest(records: readonly Json[], ...flags: string[]): Promise<Finished> {
  return runCli(["ingest", "-", ...flags], directory, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

function restore(backup: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(at(`${LEDGER}${suffix}`), { force: true });
  copyFileSync(at(backup), at(LEDGER));
}

test("without --yes a ledger that is behind accepts nothing, and with --yes it accepts the missing facts", async () => {
  expect(await ingest([receipt(1), receipt(2)])).toMatchObject({ exitCode: 0, stderr: "" });
  copyFileSync(at(LEDGER), at("backup.db"));
  expect(await ingest([receipt(3), oracle()])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await run("publish", "--once")).toMatchObject({ exitCode: 0, stderr: "" });
  restore("backup.db");

  const refused = await ingest([receipt(4)]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /^noonmark: ledger_behind: the log was published with 4 entries, and the ledger has 2\n/,
  );
  expect(refused.stderr).toContain("Restore the missing facts from the store first: noonmark ledger restore");

  const missing = await ingest([receipt(3), oracle()], "--yes");
  expect(missing).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^2 accepted, 0 duplicate, 0 rejected; ledger \//),
  });
  expect(missing.stderr).toMatch(/^noonmark: warning: ledger_behind: /);
  expect(await ingest([receipt(4)])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await run("publish", "--once")).toMatchObject({ exitCode: 0, stderr: "" });
});

test("a new ledger next to a publication is created only with --yes", async () => {
  await ingest([receipt(1)]);
  await run("publish", "--once");
  rmSync(at(LEDGER));
  const refused = await ingest([receipt(2)]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /^noonmark: ledger_behind: the log was published with 1 entries, and the ledger has 0\n/,
  );
  expect(existsSync(at(LEDGER))).toBe(false);
  expect(await ingest([receipt(2)], "--yes")).toMatchObject({ exitCode: 0 });
});

test("an unreachable store is only a warning for an existing ledger, and facts are accepted", async () => {
  await ingest([receipt(1)]);
  writeFileSync(at("file"), "no directory");
  const taken = await ingest([receipt(2)], "--store", "file");
  expect(taken).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^1 accepted, 0 duplicate, 0 rejected; ledger \//),
  });
  expect(taken.stderr).toMatch(
    /^noonmark: warning: store_not_compared: the ledger cannot be compared .*\n.*noonmark ledger restore\n$/,
  );
  await run("publish", "--once");
  expect((await ingest([receipt(3)], "--store", "file")).stderr).toMatch(
    /^noonmark: warning: store_not_compared: the ledger was compared with what this machine has published, .*\n$/,
  );
});

test("a new ledger is rejected if the store is unreachable and this machine has published before", async () => {
  await ingest([receipt(1)]);
  await run("publish", "--once");
  rmSync(at(LEDGER));
  writeFileSync(at("file"), "no directory");
  const refused = await ingest([receipt(2)], "--store", "file");
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("noonmark: ledger_behind: ") });
  expect(existsSync(at(LEDGER))).toBe(false);
});

test("--follow makes the same checks", async () => {
  await ingest([receipt(1)]);
  await run("publish", "--once");
  rmSync(at(LEDGER));
  mkdirSync(at("spool"));
  expect(await run("ingest", "--follow", "spool")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^\{"level":"fatal",.*"code":"ledger_behind"/),
  });
});
