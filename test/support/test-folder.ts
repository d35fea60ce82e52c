import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A new folder that is removed after the test. Call it in a test or in beforeEach. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder with an empty configuration, so that commands take their default places in it. */
export function configuredFolder(): string {
  const folder = testFolder();
  writeFileSync(join(folder, "noonmark.json"), "{}\n");
  return folder;
}

/** A new folder for all tests of a file, removed after the last one. */
export function sharedFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "noonmark-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
