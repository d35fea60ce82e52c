/** Our shell scripts. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("shellcheck has nothing to say about our scripts", () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const files = execFileSync("git", ["grep", "-lE", "^#!.*sh$", "--", ":!*.md"], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n");
  expect(files).toContain(".ci/run");
  expect(execFileSync("shellcheck", ["--shell=bash", ...files], { cwd: root, encoding: "utf8" })).toBe("");
});
