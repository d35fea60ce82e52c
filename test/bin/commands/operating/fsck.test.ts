import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FsckWorld } from "../../../fsck/fsck-world.ts";
import { runCli } from "../../../support/cli.ts";

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test("exit 0 and the number of objects for a whole store, 1 and a line for each finding", async () => {
  const { directory, store } = world.copy();
  const args = ["fsck", "--store", directory];
  expect(await runCli(args, world.folder)).toEqual({ exitCode: 0, stdout: "32 objects, 0 findings\n", stderr: "" });
  await store.delete("v4/public/onchain/unavailable");
  const says = "v4/public/onchain names it, and it is not there";
  const key = "v4/public/onchain/unavailable";
  expect(await runCli(args, world.folder)).toEqual({
    exitCode: 1,
    stdout: `FAIL constant-missing ${key}: ${says}\n31 objects, 1 findings\n`,
    stderr: "",
  });
  const { exitCode, stdout } = await runCli([...args, "--json"], world.folder);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ objects: 31, findings: [{ rule: "constant-missing", key, says }] });
});

test("exit 74 where no store can be read", async () => {
  const { directory } = world.copy();
  rmSync(directory, { recursive: true });
  const { exitCode, stdout, stderr } = await runCli(["fsck", "--store", directory], world.folder);
  expect({ exitCode, stdout }).toEqual({ exitCode: 74, stdout: "" });
  expect(stderr).toContain("store_unavailable");
});
