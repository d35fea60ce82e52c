import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDiskFull } from "../../src/files/disk-full.ts";
import { appendAll, overwriteFile, writeNewFile } from "../../src/files/write-all.ts";
import { NO_SMALL_DISK, smallDisk } from "../support/small-disk.ts";
import { sharedFolder } from "../support/test-folder.ts";

const root = sharedFolder();

test("a new file has its parts in order, and an existing one is not overwritten", async () => {
  const path = join(root, "new");
  await writeNewFile(path, [Buffer.from("one "), new Uint8Array(0), Buffer.from("two")]);
  expect(readFileSync(path, "utf8")).toBe("one two");
  await expect(writeNewFile(path, [Buffer.from("three")])).rejects.toMatchObject({ code: "EEXIST" });
});

test("appended bytes follow the old ones, and an overwrite replaces them", () => {
  const path = join(root, "appended");
  const fd = openSync(path, "a");
  appendAll(fd, Buffer.from("one\n"));
  appendAll(fd, Buffer.from("two\n"));
  closeSync(fd);
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  overwriteFile(path, Buffer.from("3"));
  expect(readFileSync(path, "utf8")).toBe("3");
});

test.skipIf(NO_SMALL_DISK !== undefined)(
  `every way of writing reports a full disk ${NO_SMALL_DISK ?? ""}`,
  async () => {
    const disk = smallDisk(256);
    try {
      disk.leave(20_480);
      const bytes = Buffer.alloc(100_000, "x");
      const error = await writeNewFile(join(disk.path, "new"), [Buffer.from("head"), bytes]).catch(
        (cause: unknown) => cause,
      );
      expect(isDiskFull(error)).toBe(true);
      rmSync(join(disk.path, "new"));
      expect(() => overwriteFile(join(disk.path, "over"), bytes)).toThrow(/ENOSPC/);
      expect(readdirSync(disk.path)).toContain("over");
    } finally {
      disk.unmount();
    }
  },
);
