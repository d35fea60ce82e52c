import fs, { readdirSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { StoreFull } from "../../../src/object-store/object-store.ts";
import { NO_SMALL_DISK, smallDisk } from "../../support/small-disk.ts";
import { sharedFolder } from "../../support/test-folder.ts";
import { plain, sample } from "../samples.ts";

const folder = sharedFolder();

test("a put into new directories returns only after all their parents are synced, including the store's root", async () => {
  const calls = observedCalls();
  const directory = join(folder, "data", "public");
  const store = new FilesystemStore(directory, { write: true });
  const object = { body: new Uint8Array([1]), contentType: "text/plain", metadata: {} };
  await store.put("v1/public/installations/~wheel-1/observations/0", object);
  const made = calls.flatMap(({ what, path }, index) => (what === "made" ? [{ path, index }] : []));
  expect(made.map(({ path }) => path)).toContain(join(directory, "v1", "public"));
  for (const { path, index } of made) {
    const later = calls.slice(index).some(({ what, path: synced }) => what === "synced" && synced === dirname(path));
    expect([path, later]).toEqual([path, true]);
  }
  // The marker file, without which the store is not trusted.
  expect(calls).toContainEqual({ what: "synced", path: directory });
});

interface Call {
  readonly what: "made" | "synced";
  readonly path: string;
}

/** Directories and files in the order in which they are made and synced until the test ends. */
function observedCalls(): readonly Call[] {
  const calls: Call[] = [];
  const paths = new Map<number, string>();
  const { mkdirSync, openSync, fsyncSync } = fs;
  const { open } = fs.promises;
  const spies = [
    vi.spyOn(fs, "mkdirSync").mockImplementation((path, options) => {
      calls.push({ what: "made", path: String(path) });
      return mkdirSync(path, options);
    }),
    vi.spyOn(fs, "openSync").mockImplementation((path, ...rest) => {
      const fd = openSync(path, ...rest);
      paths.set(fd, String(path));
      return fd;
    }),
    vi.spyOn(fs, "fsyncSync").mockImplementation((fd) => {
      fsyncSync(fd);
      calls.push({ what: "synced", path: paths.get(fd) ?? "" });
    }),
    vi.spyOn(fs.promises, "open").mockImplementation(async (path, ...rest) => {
      const file = await open(path, ...rest);
      const sync = file.sync.bind(file);
      file.sync = async () => {
        await sync();
        calls.push({ what: "synced", path: String(path) });
      };
      return file;
    }),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  return calls;
}

test.skipIf(NO_SMALL_DISK !== undefined)(
  `a put without space keeps the stored object, and fails with disk_full ${NO_SMALL_DISK ?? ""}`,
  async () => {
    const disk = smallDisk(1024);
    try {
      const store = new FilesystemStore(join(disk.path, "store"), { write: true });
      await store.put("v2/public/stats/30d", sample("the good response"));
      disk.leave(40_960);
      // 40 kB are free and the new response has 132 kB, so a write stores the first part and then fails.
      const put = store.put("v2/public/stats/30d", sample("x".repeat(132_627)));
      await expect(put).rejects.toBeInstanceOf(StoreFull);
      await expect(put).rejects.toMatchObject({ code: "disk_full" });
      expect(plain(await store.get("v2/public/stats/30d"))?.body).toBe("the good response");
      expect(readdirSync(join(store.name, ".tmp"))).toEqual([]);
      rmSync(join(disk.path, "ballast"));
      await store.put("v2/public/stats/30d", sample("x".repeat(132_627)));
      expect(plain(await store.get("v2/public/stats/30d"))?.body).toHaveLength(132_627);
    } finally {
      disk.unmount();
    }
  },
);

test.skipIf(NO_SMALL_DISK !== undefined)(
  `a store on a full disk is not opened for writing ${NO_SMALL_DISK ?? ""}`,
  () => {
    const disk = smallDisk(64);
    try {
      disk.leave(0);
      expect(() => new FilesystemStore(join(disk.path, "store"), { write: true })).toThrow(
        expect.objectContaining({ code: "disk_full" }),
      );
    } finally {
      disk.unmount();
    }
  },
);
