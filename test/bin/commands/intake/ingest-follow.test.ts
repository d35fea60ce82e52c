import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text as streamText } from "node:stream/consumers";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openLedgerForReading } from "../../../../src/ledger/open.ts";
import { readWatermarks } from "../../../../src/ledger/watermarks.ts";
import { receipt } from "../../../ledger/samples.ts";
import { cliEnvironment, PROGRAM, runCli } from "../../../support/cli.ts";
import { runningCli } from "../../../support/running-cli.ts";
import { NO_SMALL_DISK, smallDisk } from "../../../support/small-disk.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

let directory: string;
beforeEach(() => {
  directory = configuredFolder();
});

const line = (n: number) => `${JSON.stringify(receipt(n))}\n`;
const at = (name: string) => join(directory, name);

const start = (...arguments_: string[]) => runningCli(["ingest", "--follow", ...arguments_], directory);

test("following a file through rotation and kill ingests each fact once, and SIGTERM prints the counts", async () => {
  const killed = start("facts.ndjson");
  writeFileSync(at("facts.ndjson"), line(1));
  await until(() => receipts() === 1);
  appendFileSync(at("facts.ndjson"), line(2));
  await until(() => receipts() === 2);
  await killed.ended("SIGKILL");
  appendFileSync(at("facts.ndjson"), line(3));

  const following = start("facts.ndjson");
  await until(() => receipts() === 3);
  renameSync(at("facts.ndjson"), at("facts.ndjson.1"));
  appendFileSync(at("facts.ndjson.1"), line(4));
  writeFileSync(at("facts.ndjson"), line(5) + line(6).trimEnd());
  await until(() => receipts() === 5);
  expect(await following.ended("SIGTERM")).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^3 accepted, 2 duplicate, 0 rejected; ledger \//),
    stderr: expect.stringMatching(/^\{"level":"info",.*"source":"[^"]*facts\.ndjson".*"msg":"following"\}\n$/),
  });
});

test("spool files are moved to done/ with their rejects, and SIGINT exits with 0 after a rejection, too", async () => {
  mkdirSync(at("spool"));
  writeFileSync(at("spool/1.ndjson"), `${line(1)}nonsense\n`);
  const following = start("spool", "--json");
  writeFileSync(at("spool/2.part"), line(2));
  renameSync(at("spool/2.part"), at("spool/2.ndjson"));
  await until(() => existsSync(at("spool/done/2.ndjson")));
  expect(await following.ended("SIGINT")).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('{"accepted":2,"duplicate":0,"rejected":1,"ledger":"/'),
    stderr: expect.stringMatching(
      /"following"\}\n.*"code":"malformed_json","file":"1\.ndjson","rejected":1,"msg":"line 2: malformed_json -: the line is not JSON"\}\n$/,
    ),
  });
  expect(readdirSync(at("spool/done")).sort()).toEqual(["1.ndjson", "1.ndjson.rejects", "2.ndjson"]);
  expect(JSON.parse(readFileSync(at("spool/done/1.ndjson.rejects"), "utf8"))).toEqual({
    file: "1.ndjson",
    line: 2,
    code: "malformed_json",
    field: null,
    raw: "nonsense",
  });
});

test("a shared --rejects file names the spool files of its lines, and can be ingested again", async () => {
  mkdirSync(at("spool"));
  writeFileSync(at("spool/1.ndjson"), "one\n");
  writeFileSync(at("spool/2.ndjson"), `${line(1)}two\n`);
  const following = start("spool", "--rejects", at("rejects.ndjson"));
  await until(() => existsSync(at("spool/done/2.ndjson")));
  expect((await following.ended("SIGTERM")).exitCode).toBe(0);
  const rejects = readFileSync(at("rejects.ndjson"), "utf8").trimEnd().split("\n");
  expect(rejects.map((text) => JSON.parse(text))).toMatchObject([
    { file: "1.ndjson", line: 1, raw: "one" },
    { file: "2.ndjson", line: 2, raw: "two" },
  ]);
  const again = await runCli(["ingest", at("rejects.ndjson"), "--retry"], directory);
  expect(again).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/^0 accepted, 0 duplicate, 2 rejected; ledger \//),
  });
});

test("another user's done/ with a link is moved aside, so nothing outside the spool is written", async () => {
  mkdirSync(at("spool"));
  chmodSync(directory, 0o755);
  chmodSync(at("spool"), 0o777);
  writeFileSync(at("log.key"), "secret\n", { mode: 0o600 });
  // A real second user, so this test needs root.
  const asOther = (script: string) =>
    execFileSync("setpriv", ["--reuid=4002", "--regid=4002", "--clear-groups", "sh", "-ec", script], {
      cwd: at("spool"),
    });
  asOther(
    "mkdir -m 777 done && ln -s ../../log.key done/1.ndjson.rejects && mkdir -m 555 refused && echo nonsense > 1.ndjson",
  );
  writeFileSync(at("spool/2.ndjson"), line(1));
  const following = start("spool");
  await until(() => receipts() === 1 && !existsSync(at("spool/2.ndjson")));
  asOther("mv done old && mkdir -m 555 done && echo '{}' > 3.ndjson && ln -s x 4.ndjson");
  // existsSync follows the link, which leads nowhere.
  await until(() => !readdirSync(at("spool")).some((name) => name.endsWith(".ndjson")));
  // In a directory with the sticky bit, nobody else's directory can be renamed by a user who does not own the spool.
  const { exitCode, stderr } = await following.ended("SIGTERM");
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("is another user's") });
  expect(readFileSync(at("log.key"), "utf8")).toBe("secret\n");
  expect(readdirSync(at("spool")).sort()).toEqual([
    "done",
    "done.moved",
    "done.moved.2",
    "old",
    "refused",
    "refused.moved",
  ]);
  expect(readdirSync(at("spool/done.moved"))).toEqual(["1.ndjson.rejects"]);
  expect(readFileSync(at("spool/done/3.ndjson.rejects"), "utf8")).toContain("unknown_type");
});

test("in a directory with the sticky bit another user's files stay, and a directory of intake's own is used", async () => {
  mkdirSync(at("spool"));
  chmodSync(directory, 0o755);
  execFileSync("chown", ["4003", at("spool")]);
  chmodSync(at("spool"), 0o1777);
  const script = "mkdir -m 555 done; echo nonsense > 1.ndjson";
  execFileSync("setpriv", ["--reuid=4002", "--regid=4002", "--clear-groups", "sh", "-ec", script], {
    cwd: at("spool"),
  });
  writeFileSync(at("spool/2.ndjson"), line(1));
  // Without its capabilities root has no more rights than another user.
  const program = [process.execPath, PROGRAM, "ingest", "--follow", "spool"];
  const child = spawn("setpriv", ["--bounding-set=-all", ...program], {
    cwd: directory,
    env: cliEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = streamText(child.stderr);
  await until(() => existsSync(at("spool/done.2/2.ndjson")) || child.exitCode !== null);
  child.kill("SIGTERM");
  expect(await stderr).toContain("1.ndjson was read and cannot be moved");
  expect(readdirSync(at("spool/done"))).toEqual([]);
  expect(readdirSync(at("spool")).sort()).toEqual(["1.ndjson", "done", "done.2"]);
});

test("a file of rejects that is a link, has two names or belongs to another user is not written", async () => {
  writeFileSync(at("1.ndjson"), "nonsense\n");
  writeFileSync(at("victim"), "");
  const [link, second, foreign] = [at("link"), at("second"), at("foreign")];
  symlinkSync("victim", link);
  linkSync(at("victim"), second);
  writeFileSync(foreign, "");
  execFileSync("chown", ["4002", foreign]);
  for (const rejects of [link, second, foreign]) {
    const result = await runCli(["ingest", "1.ndjson", "--rejects", rejects], directory);
    expect.soft(result).toMatchObject({ exitCode: 74, stderr: expect.stringContaining("file_unwritable") });
  }
  expect(readFileSync(at("victim"), "utf8") + readFileSync(foreign, "utf8")).toBe("");
});

test("of a spool file with many rejected lines, a thousand are written and the others are counted", async () => {
  mkdirSync(at("spool"));
  writeFileSync(at("spool/1.ndjson"), "{}\n".repeat(300_000) + line(1));
  const following = start("spool", "--rejects", at("rejects.ndjson"));
  await until(() => existsSync(at("spool/done/1.ndjson")));
  const { stdout, stderr } = await following.ended("SIGTERM");
  expect(stdout).toMatch(/^1 accepted, 0 duplicate, 300000 rejected/);
  expect(stderr.length).toBeLessThan(10_000);
  const rejects = readFileSync(at("rejects.ndjson"), "utf8").trimEnd().split("\n");
  expect(rejects).toHaveLength(1_001);
  expect(rejects.at(-1)).toBe('{"file":"1.ndjson","more":299000}');
  const again = await runCli(["ingest", at("rejects.ndjson"), "--retry"], directory);
  expect(again.stdout).toMatch(/^0 accepted, 0 duplicate, 1000 rejected/);
});

test.skipIf(NO_SMALL_DISK !== undefined)(
  "on a full disk it waits and says so, and goes on once there is space",
  async () => {
    const disk = smallDisk(4096);
    onTestFinished(() => disk.unmount());
    const ledger = ["--ledger", join(disk.path, "ledger.db")];
    disk.leave(0);
    const first = start("facts.ndjson", ...ledger);
    await first.printed("disk_full");
    rmSync(join(disk.path, "ballast"));
    await first.printed("has space again");
    expect((await first.ended("SIGTERM")).exitCode).toBe(0);
    const taken = `${JSON.stringify({ ...receipt(1), installationId: "wheel-2" })}\n`;
    expect((await runCli(["ingest", "-", ...ledger], directory, taken)).exitCode).toBe(0);
    const following = start("facts.ndjson", ...ledger);
    await following.printed('"isThere":false');
    // This file is there once the ledger is open.
    await until(() => existsSync(join(disk.path, "ledger.db-shm")));
    disk.leave(0);
    writeFileSync(at("facts.ndjson"), line(1));
    await following.printed("disk_full");
    rmSync(join(disk.path, "ballast"));
    await following.printed("has space again");
    const { exitCode, stdout, stderr } = await following.ended("SIGTERM");
    expect([exitCode, stderr, stdout]).toEqual([
      0,
      expect.any(String),
      expect.stringMatching(/^1 accepted, 0 duplicate, 0 rejected; /),
    ]);
    expect(stderr.match(/disk_full/g)).toHaveLength(1);
  },
);

test("a source that cannot be followed is a usage error", async () => {
  for (const wrong of [["-"], ["facts.ndjson", "--strict"], ["facts.ndjson", "--retry"], ["/dev/null"]]) {
    expect.soft(await runCli(["ingest", "--follow", ...wrong], directory)).toMatchObject({ exitCode: 2, stdout: "" });
  }
  expect(existsSync(at(".noonmark"))).toBe(false);
});

/** 0 if the ledger does not exist yet or is being created. */
function receipts(): number {
  try {
    const db = openLedgerForReading(at(".noonmark/ledger.db"));
    try {
      return readWatermarks(db, 1).receipt;
    } finally {
      db.close();
    }
  } catch {
    return 0;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
