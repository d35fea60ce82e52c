import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that is removed after the test. For a test itself, or its beforeEach. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
