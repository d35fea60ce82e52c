import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { receipt } from "../../../ledger/samples.ts";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

let directory: string;
beforeEach(() => {
  directory = testFolder();
});

test("config show prints each effective value with its unit and origin, and no secret", async () => {
  const file = '{ "installationId": "wheel-1", "deployment": "d.json", "rpcUrl": "https://node.example/v2/key" }';
  writeFileSync(join(directory, "noonmark.json"), file);
  const { exitCode, stdout } = await runCli(
    ["config", "show", "--chain-grace", "20", "--fronts", "0123456789abcdef"],
    directory,
  );
  expect(exitCode).toBe(0);
  expect(stdout).not.toMatch(/key|0123456789abcdef/);
  const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
  expect(lines).toContainEqual(["installationId", '"wheel-1"', "noonmark.json"]);
  expect(lines).toContainEqual(["chainGrace", "20 seconds", "--chain-grace"]);
  expect(lines).toContainEqual(["chainMaxAge", "600 seconds", "default"]);
  expect(lines).toContainEqual(["ledger", '".noonmark/ledger.db"', "default"]);
  expect(lines).toContainEqual(["s3Region", "not set", "default"]);
  expect(lines).toContainEqual(["rpcUrl", "set, and not shown", "noonmark.json"]);
  expect(lines).toContainEqual(["fronts", "set, and not shown", "--fronts"]);

  const json = await runCli(["config", "show", "--json", "--port", "0"], directory);
  expect(JSON.parse(json.stdout)).toContainEqual({ name: "port", value: 0, unit: null, origin: "--port" });
});

test("a ledger at the default place of an earlier version is reported, and no new one is created", async () => {
  mkdirSync(join(directory, "etc"));
  mkdirSync(join(directory, "work"));
  const input = `${JSON.stringify(receipt(1))}\n`;
  expect(await runCli(["ingest", "-"], join(directory, "work"), input)).toMatchObject({ exitCode: 0 });
  writeFileSync(join(directory, "etc/noonmark.json"), "{}");
  const moved = await runCli(["ingest", "-", "--config", "../etc/noonmark.json"], join(directory, "work"), input);
  expect(moved.exitCode).toBe(2);
  expect(moved.stderr).toMatch(
    /^noonmark: path_moved: \.\.\/etc\/\.noonmark\/ledger\.db does not exist, but \S+work\/\.noonmark\/ledger\.db does\n/,
  );
  expect(moved.stderr).toContain("Paths in noonmark.json are relative to that file, the defaults too.");
  expect(existsSync(join(directory, "etc/.noonmark"))).toBe(false);
});
