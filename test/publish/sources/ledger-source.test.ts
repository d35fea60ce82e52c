/** The publisher's view of a ledger whose file was overwritten while it was open. */
import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { ingest } from "../../ledger/ingest.ts";
import { receipt } from "../../ledger/samples.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "noonmark-ledger-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const OVERWRITES: Record<string, (path: string, older: string) => void> = {
  "an older ledger": (path, older) => copyFileSync(older, path),
  "another file": (path) => writeFileSync(path, Buffer.alloc(100_000, "x")),
  "a part of it": (path) => truncateSync(path, 5_000),
  nothing: (path) => truncateSync(path, 0),
};

test.each(Object.keys(OVERWRITES))("an open ledger that is overwritten with %s is ledger_damaged", (what) => {
  const [path, older] = [join(folder, "ledger.db"), join(folder, "older.db")];
  const ledger = openLedgerForIntake(path);
  ingest(ledger, [receipt(1)]);
  ledger.prepare("VACUUM INTO ?").run(older);
  ingest(
    ledger,
    Array.from({ length: 3_000 }, (_, n) => receipt(n + 2)),
  );
  ledger.close();
  const source = new LedgerSource(path);
  source.acknowledge(source.version());
  expect(source.hasChanged()).toBe(false);
  OVERWRITES[what]?.(path, older);
  const damaged = expect.objectContaining({ code: "ledger_damaged" });
  expect(() => source.hasChanged()).toThrow(damaged);
  expect(() => source.version()).toThrow(damaged);
  source.close();
});
