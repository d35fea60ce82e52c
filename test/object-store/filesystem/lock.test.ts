import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FilesystemLock } from "../../../src/object-store/filesystem/lock.ts";

test("holding the lock of a directory store writes no file", () => {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-lock-"));
  const lock = new FilesystemLock(join(folder, "lock"));
  expect(lock.hold(() => readdirSync(folder))).toEqual(["lock"]);
  rmSync(folder, { recursive: true });
});
