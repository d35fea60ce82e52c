import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { FsckWorld } from "../../../verify/store/fsck-world.ts";

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test("an intact store exits 0 with its number of objects, and a damaged one exits 1 with a line per finding", async () => {
  const { directory, store } = world.copy();
  const args = ["fsck", "--store", directory];
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  const whole = `${keys.length} objects, 0 findings\n`;
  expect(await runCli(args, world.folder)).toEqual({ exitCode: 0, stdout: whole, stderr: "" });
  await store.delete("v4/public/onchain/unavailable");
  const says = "it is not stored";
  const key = "v4/public/onchain/unavailable";
  expect(await runCli(args, world.folder)).toEqual({
    exitCode: 1,
    stdout: `FAIL missing ${key}: ${says}\n${keys.length - 1} objects, 1 findings\n`,
    stderr: "",
  });
  const { exitCode, stdout } = await runCli([...args, "--json"], world.folder);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ objects: keys.length - 1, findings: [{ what: "missing", key, says }] });
});
