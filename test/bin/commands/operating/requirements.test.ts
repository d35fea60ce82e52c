import { copyFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { loadSettings } from "../../../../bin/cli/settings/load-settings.ts";
import { fullDisks } from "../../../../bin/cli/status/requirements.ts";
import { NO_ANVIL } from "../../../../demo/chain/anvil.ts";
import { headObject, readHead } from "../../../../publish/head/head.ts";
import { HEAD_KEY } from "../../../../src/http/keys.ts";
import { FilesystemStore } from "../../../../src/object-store/filesystem/filesystem-store.ts";
import { closure, receipt, round } from "../../../ledger/samples.ts";
import { stage } from "../../../support/chain/harness.ts";
import { runCli } from "../../../support/cli.ts";
import { freePort } from "../../../support/free-port.ts";
import { NO_SMALL_DISK, smallDisk } from "../../../support/small-disk.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

describe("what a publisher needs, by noonmark status", () => {
  let directory: string;
  beforeEach(() => {
    directory = configuredFolder();
  });

  async function status(...flags: string[]) {
    const { exitCode, stdout } = await runCli(["status", ...flags], directory);
    return { exitCode, lines: stdout.trimEnd().split("\n") };
  }

  test("before the first publication it lists what is missing and what to do, and creates nothing", async () => {
    const { exitCode, lines } = await status();
    expect(exitCode).toBe(1);
    expect(lines.filter((line) => !line.includes(" disk "))).toEqual([
      "No publication can be read from .noonmark/public; 2 problems.",
      "",
      expect.stringMatching(/^FIX settings {5}invalid_setting: installationId .* Give --installation-id <id>, /),
      expect.stringMatching(/^FIX ledger {7}ledger_not_found: .* To create a first ledger, run `noonmark ingest FILE`/),
      "ok  state        .noonmark/state: publish will make it",
      "ok  store        .noonmark/public: publish will make it",
      "ok  chain        none: its views are disabled",
    ]);
    expect(readdirSync(directory)).toEqual(["noonmark.json"]);
  });

  test("before the first publication it names a public log that nobody has agreed to", async () => {
    const { exitCode: made } = await runCli(["key", "generate", "wheel.example.org"], directory);
    expect(made).toBe(0);
    const { stdout } = await runCli(
      ["status", "--installation-id", "wheel-1", "--ledger", "none", "--store", "public", "--log-key", "log.key"],
      directory,
    );
    expect(stdout).toMatch(
      /^FIX installation log_unconfirmed: the log becomes public for ever, signed as wheel\.example\.org\/log: every value of every record; no route shows: .* noonmark publish --once --publish-log$/m,
    );
  });

  test("a store that publish would refuse is named: foreign files, no server", async () => {
    const foreign = await status("--store", ".");
    expect(foreign.lines).toContainEqual(expect.stringMatching(/^FIX store +store_foreign: \S+ is not a store /));
    const gone = await status("--store", "s3://bucket/prefix", "--s3-endpoint", "http://127.0.0.1:1");
    expect(gone.exitCode).toBe(1);
    expect(gone.lines.filter((line) => line.includes("store_unavailable"))).toHaveLength(1);
  });

  const SETTINGS = ["--installation-id", "wheel-1", "--genesis-timestamp", "1767225600"];
  /** The round was closed when the sample receipts were received. */
  const ROUND = round(46_572);
  const CLOSURE = closure(46_572, 46_572);

  function ingest(...records: readonly object[]) {
    return runCli(["ingest", "-", "--yes"], directory, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }

  async function wrongLines(...flags: string[]): Promise<string[]> {
    const { exitCode, lines } = await status(...flags);
    const wrong = lines.filter((line) => /^(?:FIX|problem) /.test(line));
    expect(exitCode).toBe(wrong.length === 0 ? 0 : 1);
    return wrong;
  }

  test("it finds a publisher that stopped responding while it held the lease", async () => {
    await ingest(receipt(1), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS)).toEqual([]);
    const store = new FilesystemStore(join(directory, ".noonmark/public"), { write: true });
    const head = (await readHead(store))?.head;
    if (head === undefined) throw new Error("no head");
    const lease = { ...head.lease, released: false, renewedAt: Date.now() - 3_600_000 };
    await store.put(HEAD_KEY, headObject({ ...head, lease }));
    expect(await wrongLines(...SETTINGS)).toEqual([
      expect.stringMatching(
        /^problem +publisher_silent: \S.* holds the lease and has been silent for 36\d\d s\. See why in its messages /,
      ),
    ]);
  });

  test("it finds a ledger that lacks published facts before anything is published", async () => {
    await ingest(receipt(1));
    copyFileSync(join(directory, ".noonmark/ledger.db"), join(directory, "older.db"));
    await ingest(receipt(2), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS, "--ledger", "older.db")).toEqual([
      expect.stringMatching(
        /^problem +ledger: ledger_behind: the log was published with 4 entries, and the ledger has 1/,
      ),
    ]);
  });

  test("it warns of the same missing inputs before the first publication and after it", async () => {
    await ingest(receipt(1));
    const before = await runCli(["status", ...SETTINGS], directory);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    const after = await runCli(["status", ...SETTINGS], directory);
    expect([before.exitCode, before.stderr.match(/no_\w+: .*/g)]).toEqual([0, after.stderr.match(/no_\w+: .*/g)]);
    expect(after.stderr).toContain("warning: device_silent: the newest receipt is of 2026-11-20T10:00:03.250Z");
    expect(after.stderr).toContain("warning: no_rounds: the statistics are 503: the ledger has no round\n");
    await ingest(ROUND);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect((await runCli(["status", ...SETTINGS], directory)).stderr).toContain("warning: no_closures: ");
  });

  test("a publication ahead of this clock is a problem", async () => {
    const ahead = new Date(Date.now() + 86_400_000).toISOString();
    await ingest(receipt(1), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS, "--at", ahead, "--force"], directory);
    expect(await wrongLines(...SETTINGS)).toEqual([
      expect.stringMatching(/^problem +clock_behind: .*correct it \(NTP\)/),
    ]);
  });

  test("it finds corrupt projections", async () => {
    await ingest(receipt(1), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    const path = join(directory, ".noonmark/state/projections.db");
    writeFileSync(path, "not a database".padEnd(8192, "."));
    expect(await wrongLines(...SETTINGS)).toEqual([
      expect.stringMatching(/^problem +state: \S+projections\.db is not an SQLite file\. /),
    ]);
  });

  test("it finds a store of another installation", async () => {
    await ingest(receipt(1), receipt(1, { installationId: "wheel-2" }), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS, "--installation-id", "wheel-2")).toContainEqual(
      expect.stringMatching(
        /^problem +installation: installation_changed: \S+ belongs to wheel-1, and installationId is wheel-2/,
      ),
    );
  });

  test("a round 0 in the future is rejected by publish and found by status", async () => {
    await ingest(receipt(1), ROUND, CLOSURE);
    const future = ["--installation-id", "wheel-1", "--genesis-timestamp", String(600 * 10_000_000)];
    const refused = await runCli(["publish", "--once", ...future], directory);
    // The exit code is not 2, because systemd would then not restart the service. A machine can boot with a clock years
    // behind.
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(
      /^noonmark: genesis_contradicted: genesisTimestamp 6000000000 is 2160-02-18T10:40:00\.000Z, /,
    );
    expect(existsSync(join(directory, ".noonmark/public"))).toBe(false);
    expect(await wrongLines(...future)).toEqual([expect.stringMatching(/^FIX settings +genesis_contradicted: /)]);
  });

  test.skipIf(NO_SMALL_DISK !== undefined)(
    `a full state disk is found and reported with its path ${NO_SMALL_DISK ?? ""}`,
    async () => {
      await ingest(receipt(1), ROUND, CLOSURE);
      const disk = smallDisk(1024);
      try {
        const state = join(disk.path, "state");
        const full = (free: number) =>
          `state ${state}: ${free} MiB free. Free space on that disk, or name another place with --state.`;
        expect(await wrongLines(...SETTINGS, "--state", state)).toEqual([`FIX disk         ${full(1)}`]);
        await runCli(["publish", "--once", ...SETTINGS, "--state", state], directory);
        disk.leave(0);
        expect(await wrongLines(...SETTINGS, "--state", state)).toEqual([`problem     disk: ${full(0)}`]);
        // Beside a publisher that runs, only full disks of this machine are looked for.
        const running = loadSettings({ config: join(directory, "noonmark.json"), state, ledger: "none" }, []);
        expect(fullDisks(running).map(({ saw }) => saw)).toEqual([expect.stringContaining(state)]);
        expect(fullDisks({ ...running, state: join(disk.path, "elsewhere") })).toEqual([]);
      } finally {
        disk.unmount();
      }
    },
  );

  test.skipIf(NO_ANVIL !== undefined)(
    "it lists each node of the chain, and names the failed check of the deployment",
    async () => {
      await using on = await stage();
      const file = join(directory, "deployment.json");
      const settings = ["--installation-id", "wheel-1", "--ledger", "none", "--deployment", file];
      writeFileSync(file, JSON.stringify(on.world.deployment));
      await on.world.mine(20);
      const variables = { NOONMARK_RPC_URL: `${on.anvil.url},http://127.0.0.1:9/secret` };
      const { stdout } = await runCli(["status", ...settings], directory, "", variables);
      const lines = stdout.trimEnd().split("\n");
      expect(lines).toContainEqual(expect.stringMatching(/^\S+ +node \S+ chain 31337, head \d+ \(.* old\), batches/));
      expect(lines).toContainEqual(
        "FIX node http://127.0.0.1:9/… no complete response (bad port). Check the address, its key and whether the node runs.",
      );
      expect(lines).toContainEqual("ok  deployment   no check failed; core available, economy available");
      expect(existsSync(join(directory, ".noonmark"))).toBe(false);
      const { lines: many } = await status(...settings, "--rpc-url", on.anvil.url, "--rpc-quorum", "2");
      expect(many).toContainEqual(
        expect.stringMatching(/^FIX chain +invalid_setting: rpcQuorum 2 is more than the 1 address of rpcUrl\./),
      );
      const dead = `http://127.0.0.1:${await freePort()}`;
      const { lines: none } = await status(...settings, "--rpc-url", dead);
      expect(none.filter((line) => line.startsWith("FIX"))).toEqual([
        expect.stringMatching(/^FIX node \S+ no server listens at \S+ \(ECONNREFUSED\)\. Check the address/),
      ]);
      const mismatch = await status(...settings, "--rpc-url", on.anvil.url, "--genesis-timestamp", "600");
      expect(mismatch.exitCode).toBe(1);
      expect(mismatch.lines).toContainEqual(
        expect.stringMatching(
          /^FIX deployment +genesis_timestamp_configured: .*docs\/spec\/chain\.md \(section checks\) /,
        ),
      );
    },
  );
});
