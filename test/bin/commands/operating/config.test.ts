import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

let directory: string;
beforeEach(() => {
  directory = configuredFolder();
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
