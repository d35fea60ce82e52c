import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDirectory } from "../../src/files/make-directory.ts";
import { testFolder } from "../support/test-folder.ts";

function scratch(): string {
  const folder = testFolder();
  return folder;
}

test("a directory is created with its parents, and an existing one is accepted", () => {
  const path = join(scratch(), "a", "b", "c");
  makeDirectory(path);
  makeDirectory(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test("a file in the way is an error", () => {
  const folder = scratch();
  writeFileSync(join(folder, "file"), "");
  expect(() => makeDirectory(join(folder, "file"))).toThrow("EEXIST");
  expect(() => makeDirectory(join(folder, "file", "below"))).toThrow("ENOTDIR");
});

test.runIf(existsSync("/proc/self"))("a directory that cannot be created is an error, not an endless loop", () => {
  expect(() => makeDirectory("/proc/noonmark/a/b")).toThrow("ENOENT");
});
