/** SQLite calls a full disk "disk I/O error" if it is the -shm file that cannot grow. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLedgerForIntake, openLedgerForReading } from "../../src/ledger/open.ts";
import { noSmallDisk, smallDisk } from "../support/small-disk.ts";

test.skipIf(noSmallDisk !== undefined)(
  `a ledger that a full disk keeps from opening is reported with its path ${noSmallDisk ?? ""}`,
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
