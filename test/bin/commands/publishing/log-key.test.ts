// publish with a key: the first publish is confirmed, and later ones have the key.
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { receipt } from "../../../ledger/samples.ts";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

test("a log becomes public only if the operator agrees, and is never stored without its key again", async () => {
  const folder = testFolder();
  const run = (...args: string[]) => runCli(args, folder);
  const keys = () => readdirSync(join(folder, ".noonmark/public"), { recursive: true }).toSorted();
  writeFileSync(join(folder, "facts.ndjson"), [1, 2].map((number) => `${JSON.stringify(receipt(number))}\n`).join(""));

  const made = await run("init", "--installation-id", "wheel-1", "--log-name", "wheel.example.org");
  expect(made.stdout).toMatch(
    /publish --once --publish-log\nlog\.key written: .*\n {2}wheel\.example\.org\+[0-9a-f]{8}\+/,
  );
  expect((await run("ingest", "facts.ndjson")).exitCode).toBe(0);

  const refused = await run("publish", "--once");
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain("log_unconfirmed: the log becomes public for ever, signed as wheel.example.org/log");
  expect(refused.stderr).toContain("receipt: coreStatus, rpmMilli");
  expect(refused.stderr).toContain("noonmark publish --once --publish-log");
  expect(existsSync(join(folder, ".noonmark/public/v1"))).toBe(false);

  expect(await run("publish", "--once", "--publish-log")).toMatchObject({ exitCode: 0 });
  expect(await run("publish", "--once")).toMatchObject({ exitCode: 0 });
  expect(keys()).toContain("log/tile/entries/000.p/2.http");

  const before = keys();
  writeFileSync(join(folder, "no-key.json"), '{ "installationId": "wheel-1" }');
  const missing = await runCli(["publish", "--once", "--config", "no-key.json"], folder);
  expect(missing.exitCode).toBe(2);
  expect(missing.stderr).toContain("log_key_missing: the log in ");
  chmodSync(join(folder, "log.key"), 0o644);
  const exposed = await run("publish", "--once");
  expect(exposed.exitCode).toBe(2);
  expect(exposed.stderr).toContain("Run: chmod 600 ");
  expect(keys()).toEqual(before);
});
