/** `noonmark openapi` as an operator runs it. */
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";

const run = (...options: string[]) => runCli(["openapi", ...options], tmpdir());
const printed = async (...options: string[]) => JSON.parse((await run(...options)).stdout);

test("openapi prints the document with the given address, or with the serving host", async () => {
  const bare = await printed();
  expect(bare.openapi).toBe("3.1.1");
  expect(bare.servers).toEqual([{ url: "/" }]);
  expect((await printed("--server", "https://wheel.example/api/")).servers).toEqual([
    { url: "https://wheel.example/api" },
  ]);
  expect((await printed("--public-url", "https://wheel.example")).servers).toEqual([{ url: "https://wheel.example" }]);
});

test("an invalid address is an error with a hint", async () => {
  const { exitCode, stderr } = await run("--server", "wheel.example");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("invalid_setting");
});
