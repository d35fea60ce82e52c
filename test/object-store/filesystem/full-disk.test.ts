import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { StoreFull } from "../../../src/object-store/object-store.ts";
import { noSmallDisk, smallDisk } from "../../support/small-disk.ts";
import { plain, sample } from "../samples.ts";

test.skipIf(noSmallDisk !== undefined)(
  `a put without space leaves the stored object, and says disk_full ${noSmallDisk ?? ""}`,
  async () => {
    const disk = smallDisk(1024);
    try {
      const store = new FilesystemStore(join(disk.path, "store"), { write: true });
      await store.put("v2/public/stats/30d", sample("the good response"));
      disk.leave(40_960);
      // 40 kB are free, and the new response has 132 kB: a write takes the first part and reports it.
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

test.skipIf(noSmallDisk !== undefined)(
  `a store on a disk without space is not opened for writing ${noSmallDisk ?? ""}`,
  () => {
    const disk = smallDisk(64);
    try {
      disk.leave(0);
      expect(() => new FilesystemStore(join(disk.path, "store"), { write: true })).toThrow(
        expect.objectContaining({ code: "disk_full", exitCode: 74 }),
      );
    } finally {
      disk.unmount();
    }
  },
);
