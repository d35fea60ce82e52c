import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Known } from "../../../publish/known.ts";
import { isOutage } from "../../../publish/schedule/schedule.ts";
import { noSmallDisk, smallDisk } from "../../support/small-disk.ts";

test.skipIf(noSmallDisk !== undefined)(
  `a full disk is disk_full, which counts as an outage, and leaves the state as it was ${noSmallDisk ?? ""}`,
  () => {
    const disk = smallDisk(1024);
    try {
      const state = Known.open(join(disk.path, "state"));
      state.setMeta("epoch", "1");
      for (const name of ["published.db", "user"]) {
        expect([name, statSync(join(disk.path, "state", name)).mode & 0o777]).toEqual([name, 0o600]);
      }
      disk.leave(0);
      const write = () => {
        for (let turn = 0; turn < 1000; turn++) state.setMeta("epoch", "x".repeat(4096 + turn));
      };
      expect(write).toThrow(expect.objectContaining({ code: "disk_full", exitCode: 74 }));
      try {
        write();
      } catch (error) {
        expect(isOutage(error)).toBe(true);
      }
      rmSync(join(disk.path, "ballast"));
      state.setMeta("epoch", "2");
      expect(state.meta("epoch")).toBe("2");
      state.close();
      disk.leave(0);
      expect(() => Known.open(join(disk.path, "other"))).toThrow(expect.objectContaining({ code: "disk_full" }));
    } finally {
      disk.unmount();
    }
  },
);
