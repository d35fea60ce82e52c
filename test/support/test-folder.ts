import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A new folder that is removed after the test. For a test itself, or its beforeEach. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder for the tests of one file, removed after the last of them. */
export function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
