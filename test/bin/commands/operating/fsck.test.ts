import { appendFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FsckWorld } from "../../../fsck/fsck-world.ts";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test("an intact store exits 0 with its number of objects, and a damaged one exits 1 with a line per finding", async () => {
  const { directory, store } = world.copy();
  const args = ["fsck", "--store", directory];
  expect(await runCli(args, world.folder)).toEqual({ exitCode: 0, stdout: "44 objects, 0 findings\n", stderr: "" });
  await store.delete("v4/public/onchain/unavailable");
  const says = "v4/public/onchain names it, but it is missing";
  const key = "v4/public/onchain/unavailable";
  expect(await runCli(args, world.folder)).toEqual({
    exitCode: 1,
    stdout: `FAIL constant-missing ${key}: ${says}\n43 objects, 1 findings\n`,
    stderr: "",
  });
  const { exitCode, stdout } = await runCli([...args, "--json"], world.folder);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ objects: 43, findings: [{ rule: "constant-missing", key, says }] });
});

test("--repair repairs its findings, lists them, and keeps the state directory", async () => {
  const folder = testFolder();
  const settings = ["--store", "public", "--installation-id", "wheel-1", "--ledger", "none", "--state", "state"];
  expect((await runCli(["publish", "--once", "--quiet", ...settings], folder)).exitCode).toBe(0);
  rmSync(join(folder, "public/v1/public/modules.http"));
  appendFileSync(join(folder, "public/v4/public/process.http"), "x");
  rmSync(join(folder, "state"), { recursive: true });
  const repaired = await runCli(["fsck", "--repair", ...settings], folder);
  expect(repaired).toMatchObject({ exitCode: 0, stderr: "" });
  expect(repaired.stdout).toMatch(/^DONE answer-missing v1\/public\/modules: /m);
  expect(repaired.stdout).toMatch(/^DONE damaged v4\/public\/process: /m);
  expect(repaired.stdout).toMatch(/^\d+ objects, 0 findings, 2 repaired\n$/m);
  expect(existsSync(join(folder, "state/published.db"))).toBe(false);
  expect((await runCli(["fsck", "--store", "public"], folder)).stdout).toMatch(/ 0 findings\n$/);
  const again = await runCli(["fsck", "--repair", "--json", ...settings], folder);
  expect(JSON.parse(again.stdout)).toMatchObject({ findings: [] });
});
