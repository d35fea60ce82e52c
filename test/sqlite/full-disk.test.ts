/** SQLite reports a full disk as "disk I/O error" if the -shm file cannot grow. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLedgerForIntake, openLedgerForReading } from "../../src/ledger/open.ts";
import { NO_SMALL_DISK, smallDisk } from "../support/small-disk.ts";

test.skipIf(NO_SMALL_DISK !== undefined)(
  `a ledger that cannot be opened because of a full disk is reported with its path ${NO_SMALL_DISK ?? ""}`,
  () => {
    const disk = smallDisk(1024);
    const path = join(disk.path, "ledger.db");
    try {
      openLedgerForIntake(path).close();
      disk.leave(0);
      for (const open of [openLedgerForReading, openLedgerForIntake]) {
        expect(() => open(path)).toThrow(
          expect.objectContaining({ code: "disk_full", message: `no space is left for the ledger ${path}` }),
        );
      }
    } finally {
      disk.unmount();
    }
  },
);
