/** The steps of docs/facts.md, "Wrong facts": a new ledger without them, and a new history. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { receipt } from "../ledger/samples.ts";
import { Cli } from "./cli.ts";

const cli = new Cli({ NOONMARK_INSTALLATION_ID: "wheel-1", NOONMARK_GENESIS_TIMESTAMP: "1767225600" });
afterEach(() => cli.end());

const lines = (...ns: number[]) => ns.map((n) => `${JSON.stringify(receipt(n))}\n`).join("");

test("a new ledger without the wrong fact and --new-history take it out of what is published", async () => {
  writeFileSync(join(cli.folder, "all.ndjson"), lines(1, 2, 3));
  writeFileSync(join(cli.folder, "right.ndjson"), lines(1, 3));
  expect(await cli.run("ingest", "all.ndjson")).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await cli.run("publish", "--once")).exitCode).toBe(0);

  const ledger = ["--ledger", "corrected.db"];
  expect(await cli.run("ingest", ...ledger, "right.ndjson")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("ledger_behind"),
  });
  expect((await cli.run("ingest", ...ledger, "--yes", "right.ndjson")).exitCode).toBe(0);
  // Without the word of the operator nothing that was published is taken back.
  expect(await cli.run("publish", "--once", ...ledger)).toMatchObject({ exitCode: 1 });
  expect((await cli.run("publish", "--once", ...ledger, "--new-history", "wheel-1")).exitCode).toBe(0);
  expect(await cli.run("publish", "--once", ...ledger)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await cli.run("fsck")).toMatchObject({ exitCode: 0 });

  const base = await cli.serve();
  const response = await fetch(`${base}/v1/public/installations/wheel-1/observations`);
  const { items } = (await response.json()) as { items: { sequence: number }[] };
  expect(items.map(({ sequence }) => sequence)).toEqual([1, 3]);
});
