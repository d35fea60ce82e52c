import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openLedgerForReading } from "../../../../src/ledger/open.ts";
import { readWatermarks } from "../../../../src/ledger/watermarks.ts";
import { type Json, receipt, round } from "../../../ledger/samples.ts";
import { type Finished, runCli, startCli } from "../../../support/cli.ts";
import { NO_SMALL_DISK, smallDisk } from "../../../support/small-disk.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

let directory: string;
beforeEach(() => {
  directory = configuredFolder();
});

function ndjson(...records: readonly Json[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function ingest(arguments_: readonly string[], input?: string): Promise<Finished> {
  return runCli(["ingest", ...arguments_], directory, input);
}

function receipts(): number {
  const db = openLedgerForReading(join(directory, ".noonmark", "ledger.db"));
  try {
    return readWatermarks(db, 1).receipt;
  } finally {
    db.close();
  }
}

test("ingesting a file or pipe prints counts on stdout and rejections on stderr and in the rejects file, and exits 0 or 1", async () => {
  writeFileSync(join(directory, "facts.ndjson"), ndjson(receipt(1), receipt(2)));
  expect(await ingest(["facts.ndjson"])).toEqual({
    exitCode: 0,
    stdout: `2 accepted, 0 duplicate, 0 rejected; ledger ${join(directory, ".noonmark/ledger.db")}\n`,
    stderr: "",
  });

  const input = `${ndjson(receipt(2), receipt(3, { rpmMilli: -1 }), receipt(3))}nonsense\n`;
  expect(await ingest(["-", "--rejects", "rejects.ndjson"], input)).toEqual({
    exitCode: 1,
    stdout: expect.stringMatching(/^1 accepted, 1 duplicate, 2 rejected; ledger \//),
    stderr:
      "line 2: out_of_range rpmMilli: rpmMilli must be from 0 to 9007199254740991\n" +
      "line 4: malformed_json -: the line is not JSON\n",
  });
  expect(await ingest(["-", "--json", "--rejects", "rejects.ndjson"], "{}")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('{"accepted":0,"duplicate":0,"rejected":1,"ledger":"/'),
  });
  const rejects = readFileSync(join(directory, "rejects.ndjson"), "utf8").trimEnd().split("\n");
  expect(rejects.map((line) => JSON.parse(line))).toEqual([
    { line: 2, code: "out_of_range", field: "rpmMilli", raw: JSON.stringify(receipt(3, { rpmMilli: -1 })) },
    { line: 4, code: "malformed_json", field: null, raw: "nonsense" },
    { line: 1, code: "unknown_type", field: "type", raw: "{}" },
  ]);
  expect(receipts()).toBe(3);
});

test("--strict stops at the first rejection and discards the whole run", async () => {
  await ingest(["-"], ndjson(receipt(1)));
  const stopped = await ingest(
    ["-", "--strict"],
    ndjson(receipt(1), receipt(2), receipt(3, { extra: 1 }), round(1, { extra: 1 })),
  );
  expect(stopped).toEqual({
    exitCode: 1,
    stdout: expect.stringMatching(/^0 accepted, 0 duplicate, 1 rejected; ledger \//),
    stderr: "line 3: unknown_field extra: receipt has no such field\n",
  });
  expect(receipts()).toBe(1);
  expect(await ingest(["-", "--strict"], ndjson(receipt(1), receipt(2)))).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^1 accepted, 1 duplicate, 0 rejected; ledger \//),
  });
  expect(receipts()).toBe(2);
});

test("the lines of a live pipe reach the ledger while the pipe is open", async () => {
  const child = startCli(["ingest", "-"], directory);
  const path = join(directory, ".noonmark", "ledger.db");
  try {
    for (const n of [1, 2, 3]) {
      child.stdin?.write(ndjson(receipt(n)));
      await until(() => existsSync(path) && safely(receipts) === n);
    }
    const closed = new Promise((resolve) => child.on("close", resolve));
    child.stdin?.end();
    child.stdout?.resume();
    expect(await closed).toBe(0);
  } finally {
    child.kill("SIGKILL");
  }
});

test("wrong arguments are usage errors, unreadable or unwritable files exit 74, and no file is left behind", async () => {
  const wrong = [[], ["a", "b"], ["a", "--unknown"], ["-", "--ledger", "none"]];
  const refused = await Promise.all(wrong.map((arguments_) => ingest(arguments_)));
  expect(refused.map(({ exitCode }) => exitCode)).toEqual(wrong.map(() => 2));
  mkdirSync(join(directory, "folder"));
  writeFileSync(join(directory, "text"), "no ledger\n".repeat(100));
  const failures: [string, string[]][] = [
    ["file_unreadable", ["missing.ndjson"]],
    ["file_unreadable", ["folder"]],
    ["ledger_damaged", ["-", "--ledger", "text"]],
    ["ledger_unusable", ["-", "--ledger", "folder"]],
    ["ledger_unusable", ["-", "--ledger", "text/ledger.db"]],
    ["file_unwritable", ["-", "--rejects", "folder"]],
    ["file_unwritable", ["-", "--rejects", "missing/rejects"]],
  ];
  const failed = await Promise.all(failures.map(([, arguments_]) => ingest(arguments_, "{}\n")));
  for (const [index, { exitCode, stdout, stderr }] of failed.entries()) {
    const code = stderr.split(": ")[1];
    expect({ exitCode, stdout, code }).toEqual({ exitCode: 74, stdout: "", code: failures[index]?.[0] });
    expect(stderr).not.toMatch(/\n\s+at /);
  }
  expect(existsSync(join(directory, ".noonmark"))).toBe(false);
});

test.skipIf(NO_SMALL_DISK !== undefined)(
  "a full disk under the rejects file exits 74, and the batch is discarded",
  async () => {
    const input = ndjson(receipt(1), receipt(2, { extra: 1 }));
    const disk = smallDisk(1024);
    onTestFinished(() => disk.unmount());
    const rejects = join(disk.path, "rejects.ndjson");
    writeFileSync(rejects, "");
    disk.leave(0);
    const { exitCode, stderr } = await ingest(["-", "--rejects", rejects], input);
    expect({ exitCode, code: stderr.split(": ")[1] }).toEqual({ exitCode: 74, code: "disk_full" });
    expect(await ingest(["-"], input)).toMatchObject({
      stdout: expect.stringMatching(/^1 accepted, 0 duplicate, 1 rejected; ledger \//),
    });
  },
);

/** Undefined while the file is missing or being created. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test("a dry run judges every line against the ledger, and takes nothing in", async () => {
  writeFileSync(join(directory, "facts.ndjson"), ndjson(receipt(1), receipt(2), receipt(3, { rpmMilli: -1 })));
  const dry = await ingest(["--dry-run", "facts.ndjson"]);
  expect([dry.exitCode, dry.stdout]).toEqual([
    1,
    expect.stringMatching(/^2 accepted, 0 duplicate, 1 rejected; .*nothing was taken in\n$/),
  ]);
  expect(existsSync(join(directory, ".noonmark", "ledger.db"))).toBe(false);
  const strict = await ingest(["--dry-run", "--strict", "facts.ndjson"]);
  expect([strict.exitCode, strict.stdout]).toEqual([
    1,
    expect.stringMatching(/^0 accepted, 0 duplicate, 1 rejected; /),
  ]);
  await ingest(["facts.ndjson"]);
  writeFileSync(join(directory, "more.ndjson"), ndjson(receipt(2), receipt(3)));
  expect((await ingest(["--dry-run", "more.ndjson"])).stdout).toContain("1 accepted, 1 duplicate, 0 rejected");
  expect(receipts()).toBe(2);
});

test("a round that ends in the future by genesisTimestamp is rejected, and its closure", async () => {
  const flags = ["--genesis-timestamp", "1767225600", "--dry-run", "-"];
  const far = await ingest(flags, ndjson(round(99_999_999)));
  expect(far.stderr).toContain("line 1: in_future roundId: by genesisTimestamp 1767225600, round 99999999 ends ");
  expect((await ingest(flags, ndjson(round("18446744073709551615")))).stderr).toContain("in_future roundId");
  expect((await ingest([...flags, "--allow-future"], ndjson(round(99_999_999)))).exitCode).toBe(0);
});

test("an installation that is neither configured nor in the ledger needs a word of the operator", async () => {
  const typo = ndjson(receipt(1, { installationId: "mil-7" }));
  const flags = ["--installation-id", "mill-7", "--installations", "listed", "-"];
  const refused = await ingest(flags, typo);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining("installation_not_listed installationId: mil-7 is not"),
  ]);
  expect(
    (await ingest(["--installation-id", "mill-7", "--installations", "any", "--dry-run", "-"], typo)).exitCode,
  ).toBe(0);
  expect((await ingest([...flags, "--new-installation", "mil-7"], typo)).exitCode).toBe(0);
  expect((await ingest(flags, ndjson(receipt(2, { installationId: "mil-7" })))).exitCode).toBe(0);
});

test("a backup has every fact, replaces the last one, and never the ledger", async () => {
  await ingest(["-"], ndjson(receipt(1), receipt(2)));
  const backup = (file: string) => runCli(["ledger", "backup", file], directory);
  expect(await backup("copy.db")).toMatchObject({ exitCode: 0, stderr: "" });
  await ingest(["-"], ndjson(receipt(3)));
  expect((await backup("copy.db")).exitCode).toBe(0);
  const db = openLedgerForReading(join(directory, "copy.db"));
  expect(readWatermarks(db, 1).receipt).toBe(3);
  db.close();
  expect(await backup(join(directory, ".noonmark", "ledger.db"))).toMatchObject({ exitCode: 2 });
  const others = { "facts.ndjson": ndjson(receipt(1)), "noonmark.json": "{}\n", empty: "" };
  for (const [name, text] of Object.entries(others)) {
    writeFileSync(join(directory, name), text);
    expect(await backup(name)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("no older copy") });
    expect(readFileSync(join(directory, name), "utf8")).toBe(text);
  }
  expect((await ingest(["--ledger", "other.db", "-"], ndjson(receipt(1), receipt(4)))).exitCode).toBe(0);
  expect((await backup("other.db")).exitCode).toBe(2);
  expect((await backup("missing/copy.db")).stderr).toContain("file_unwritable");
  expect(readdirSync(directory).filter((name) => name.startsWith("."))).toEqual([".noonmark"]);
});
