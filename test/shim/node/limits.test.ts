import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rareReport } from "../../../bin/cli/log.ts";
import { connectionsWithin, openFilesLimit } from "../../../src/shim/node/limits.ts";

test("the connection limit leaves open files for the store", () => {
  expect([undefined, 1_048_576, 20_000, 1_024, 256, 1].map(connectionsWithin)).toEqual([4096, 4096, 4096, 512, 128, 1]);
});

test("the limit of open files is read from Linux, and unknown elsewhere", () => {
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

test("the first event is reported immediately, and those of the next ten seconds as a count", () => {
  const reported: [number, number][] = [];
  let now = 0;
  const report = rareReport(
    (count) => void reported.push([now, count]),
    () => now,
  );
  for (now = 0; now < 25_000; now += 1000) report();
  expect(reported).toEqual([
    [0, 1],
    [10_000, 10],
    [20_000, 10],
  ]);
});
