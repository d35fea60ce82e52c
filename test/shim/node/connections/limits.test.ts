import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectionsWithin } from "../../../../src/shim/node/connections/limits.ts";
import { openFilesLimit } from "../../../../src/shim/node/connections/open-files.ts";

test("connections leave files for the store, however few may be open", () => {
  expect([undefined, 1_048_576, 20_000, 1_024, 256, 1].map(connectionsWithin)).toEqual([4096, 4096, 4096, 512, 128, 1]);
});

test("the limit of open files as Linux says it, and nothing where it does not", () => {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-limits-"));
  const file = join(directory, "limits");
  try {
    writeFileSync(
      file,
      "Limit   Soft Limit   Hard Limit   Units\nMax open files            256                  4096                 files\n",
    );
    expect(openFilesLimit(file)).toBe(256);
    writeFileSync(file, "Max open files            unlimited            unlimited            files\n");
    expect(openFilesLimit(file)).toBeUndefined();
    expect(openFilesLimit(join(directory, "none"))).toBeUndefined();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
