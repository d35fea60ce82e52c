import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

let directory = "";
beforeEach(() => {
  directory = configuredFolder();
});

const publish = () => runCli(["publish", "--once", "--installation-id", "wheel-1", "--ledger", "none"], directory);

/** Pretends that the first run was two hours ago. */
function age(): void {
  const db = new SqliteDatabase(join(directory, ".noonmark/state/published.db"));
  const saved = JSON.parse(db.prepare("SELECT value FROM meta WHERE name = 'requests'").pluck().get() as string);
  saved.current.since -= 2 * 3_600_000;
  db.prepare("UPDATE meta SET value = ? WHERE name = 'requests'").run(JSON.stringify(saved));
  db.close();
}

test("a missing publication or measurement is an error, not zero", async () => {
  expect(await runCli(["cost"], directory)).toMatchObject({ exitCode: 74, stdout: "" });
  await publish();
  const { exitCode, stdout, stderr } = await runCli(["cost"], directory);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch("noonmark: nothing_measured: no publisher has counted its requests for a minute yet");
});

test("runs of publish --once add up to a month's requests and costs", async () => {
  await publish();
  age();
  await publish();
  const { exitCode, stdout } = await runCli(["cost", "--json"], directory);
  expect(exitCode).toBe(0);
  const cost = JSON.parse(stdout) as {
    measuredSeconds: number;
    objects: { keys: string; put: number }[];
    money: Record<string, number>;
  };
  expect(cost.measuredSeconds).toBeGreaterThan(7_199);
  const monthly = (put: number) => Math.round((put * 30 * 86_400) / cost.measuredSeconds);
  const puts = (keys: string) => cost.objects.find((object) => object.keys === keys)?.put;
  expect(puts("v4/public/process")).toBe(monthly(1));
  // Acquired and released by the first run, and acquired by the second, which reports before it releases.
  expect(puts("status.json")).toBe(monthly(3));
  expect(puts("private/status.json")).toBe(monthly(1));
  expect(Object.keys(cost.money)).toEqual(["s3", "gcs", "r2"]);

  const lines = (await runCli(["cost"], directory)).stdout.split("\n");
  expect(lines[0]).toBe("Requests in thirty days, estimated from 2.0 h");
  expect(lines[1]).toMatch(/^objects +puts +gets +lists +deletes$/);
  expect(lines.join("\n")).toMatch(/^AWS S3 Standard, us-east-1 +\d+\.\d\d$/m);
  expect(lines.join("\n")).not.toMatch(/[─│]/);

  const own = JSON.parse(readFileSync(new URL("../../../../docs/prices.json", import.meta.url), "utf8"));
  own.providers = {
    ours: { ...own.providers.s3, name: "Our own", perMillion: { put: 1_000_000, list: 0, get: 0, delete: 0 } },
  };
  writeFileSync(join(directory, "prices.json"), JSON.stringify(own));
  const ours = JSON.parse((await runCli(["cost", "--json", "--prices", "prices.json"], directory)).stdout);
  expect(ours.money).toEqual({ ours: ours.total.put });
});

test.each([
  ["nowhere.json", 74, /^noonmark: prices_unreadable: nowhere.json cannot be read/],
  ["bad.json", 2, /^noonmark: invalid_prices: bad.json: providers: /],
  ["none.json", 2, /^noonmark: invalid_prices: none.json: .*JSON/],
])("--prices %s is reported", async (file, exitCode, message) => {
  writeFileSync(join(directory, "bad.json"), '{"asOf":"2026-11-22","currency":"EUR"}');
  writeFileSync(join(directory, "none.json"), "{");
  const ran = await runCli(["cost", "--prices", file], directory);
  expect(ran.exitCode).toBe(exitCode);
  expect(ran.stderr).toMatch(message);
});
