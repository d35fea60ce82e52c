import { copyFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../../demo/chain/anvil.ts";
import { FilesystemStore } from "../../../../src/object-store/filesystem/filesystem-store.ts";
import { MODULES_KEY } from "../../../../src/resources/modules/route.ts";
import { statisticsKey } from "../../../../src/resources/statistics/route.ts";
import { closure, receipt, reporterRun, round } from "../../../ledger/samples.ts";
import { stage } from "../../../support/chain/harness.ts";
import { runCli } from "../../../support/cli.ts";
import { NO_SMALL_DISK, smallDisk } from "../../../support/small-disk.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

describe("noonmark doctor", () => {
  let directory: string;
  beforeEach(() => {
    directory = configuredFolder();
  });

  async function doctor(...flags: string[]) {
    const { exitCode, stdout, stderr } = await runCli(["doctor", ...flags], directory);
    expect(stderr).toBe("");
    return { exitCode, lines: stdout.trimEnd().split("\n") };
  }

  test("before the first start it lists what is missing and what to do, and creates nothing", async () => {
    const { exitCode, lines } = await doctor();
    expect(exitCode).toBe(1);
    expect(lines[0]).toMatch(/^ok {2}node {9}\d+\.\d+\.\d+$/);
    expect(lines[1]).toMatch(/^FIX settings {5}missing_setting: installationId .* Give --installation-id <id>, /);
    expect(lines[2]).toMatch(
      /^FIX ledger {7}ledger_not_found: .* restore it from the store: noonmark ledger restore. To create a first ledger, run `noonmark ingest FILE`/,
    );
    expect(lines.slice(3).filter((line) => !line.includes(" disk "))).toEqual([
      "ok  state        .noonmark/state: publish will make it",
      "ok  store        .noonmark/public: publish will make it",
      "ok  chain        none: its views are disabled",
    ]);
    expect(readdirSync(directory)).toEqual(["noonmark.json"]);
  });

  test("a file in the place of a directory is named as one", async () => {
    const file = join(directory, "noonmark.json");
    const below = join(file, "below");
    const { lines } = await doctor("--state", below, "--store", below);
    const sentence = `${file} is a file, and no directory. Name another path, or move that file away.`;
    expect(lines).toContain(`FIX state        ${sentence}`);
    expect(lines).toContain(`FIX store        ${sentence}`);
    const { exitCode, stderr } = await runCli(["ingest", "/dev/null", "--ledger", below], directory);
    expect([exitCode, stderr]).toEqual([
      74,
      expect.stringMatching(/ledger_unwritable: .* is a file, and no directory/),
    ]);
  });

  test("several wrong settings are one line", async () => {
    writeFileSync(join(directory, "noonmark.json"), '{ "port": "x", "store": "" }');
    const { lines } = await doctor();
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(
        /^FIX settings {5}invalid_settings: 2 settings are wrong. Correct each of these: \S+ store "": is empty; \S+ port "x": is not a number$/,
      ),
    ]);
  });

  test("an invalid setting is the only finding", async () => {
    writeFileSync(join(directory, "noonmark.json"), '{ "ledgr": "x" }');
    const { exitCode, lines } = await doctor();
    expect(exitCode).toBe(1);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('unknown key "ledgr"; did you mean ledger? Known keys: ');
  });

  test("after a publish it finds nothing except an address without a server", async () => {
    const settings = ["--installation-id", "wheel-1", "--ledger", "none", "--genesis-timestamp", "0"];
    expect((await runCli(["publish", "--once", ...settings], directory)).exitCode).toBe(0);
    const well = await doctor(...settings);
    expect(well.exitCode).toBe(0);
    expect(well.lines).toContainEqual(expect.stringMatching(/^ok {2}store {8}\S+: read, written$/));
    expect(well.lines).toContainEqual(expect.stringMatching(/^ok {2}lease {8}epoch 1, released [\d.]+ s ago$/));
    const outside = await doctor(...settings, "--url", "http://127.0.0.1:9", "--json");
    expect(outside.exitCode).toBe(1);
    expect(JSON.parse(outside.lines[0] ?? "").at(-1)).toMatchObject({ check: "public side", severity: "fault" });
  });

  const SETTINGS = ["--installation-id", "wheel-1", "--genesis-timestamp", "1767225600"];
  /** The round was closed when the sample receipts were received. */
  const ROUND = round(46_572);
  const CLOSURE = closure(46_572, 46_572);

  function ingest(...records: readonly object[]) {
    return runCli(["ingest", "-", "--yes"], directory, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }

  async function wrongLines(...flags: string[]): Promise<string[]> {
    const { exitCode, lines } = await doctor(...flags);
    const wrong = lines.filter((line) => line.startsWith("FIX"));
    expect(exitCode).toBe(wrong.length === 0 ? 0 : 1);
    return wrong;
  }

  test("it finds a publisher that stopped responding while it held the lease", async () => {
    await ingest(receipt(1), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS)).toEqual([]);
    const store = new FilesystemStore(join(directory, ".noonmark/public"), { write: true });
    const status = await store.get("status.json");
    if (status === undefined) throw new Error("no lease");
    const record = JSON.parse(Buffer.from(status.body).toString()) as object;
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const silent = { ...record, released: false, renewedAt: hourAgo };
    await store.put("status.json", { ...status, body: Buffer.from(JSON.stringify(silent)) });
    expect(await wrongLines(...SETTINGS)).toEqual([
      expect.stringMatching(
        /^FIX publication +publisher_silent: \S.* holds the lease and has been silent for 36\d\d s\. See why in its log/,
      ),
    ]);
  });

  test("it finds a ledger that lacks published facts before anything is published", async () => {
    await ingest(receipt(1));
    copyFileSync(join(directory, ".noonmark/ledger.db"), join(directory, "older.db"));
    await ingest(receipt(2), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    const { lines } = await doctor(...SETTINGS, "--ledger", "older.db");
    expect(lines.filter((line) => /^(?:FIX|\S+ +ledger) /.test(line))).toEqual([
      expect.stringMatching(/^FIX ledger +ledger_behind: log 1 was published with 4 entries, and the ledger has 1/),
    ]);
  });

  test("it finds a lifetime total that is not the sum of the ledger's rounds", async () => {
    await ingest(receipt(1), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    const store = new FilesystemStore(join(directory, ".noonmark/public"), { write: true });
    const key = "v2/public/stats/30d";
    const found = await store.get(key);
    if (found === undefined) throw new Error("no statistics");
    const text = Buffer.from(found.body).toString();
    const body = Buffer.from(text.replace('"acceptedWorkUnits":"600"', '"acceptedWorkUnits":"6000"'));
    await store.put(key, { ...found, body });
    expect(await wrongLines(...SETTINGS)).toEqual([
      expect.stringMatching(
        /^FIX statistics +lifetime v2\/public\/stats\/30d: lifetime.acceptedWorkUnits is 6000, and the log's entries give 600\. /,
      ),
    ]);
  });

  test("it finds the same missing inputs before the first publication and after it", async () => {
    await ingest(receipt(1), reporterRun());
    const before = await doctor(...SETTINGS);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    const after = await doctor(...SETTINGS);
    const inputs = ({ lines }: typeof before) => lines.filter((line) => /^(?:FIX|see) /.test(line));
    expect(inputs(before)).toEqual([
      expect.stringMatching(/^FIX inputs +no_rounds: /),
      expect.stringContaining("no_chain"),
    ]);
    expect([before.exitCode, inputs(after)]).toEqual([1, inputs(before)]);
    const withoutGenesis = await doctor("--installation-id", "wheel-1");
    expect(withoutGenesis.lines.filter((line) => line.includes("round 0"))).toHaveLength(1);
  });

  test("it explains 503 statistics by their missing input, and finds a damaged object", async () => {
    await ingest(receipt(1), reporterRun());
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS)).toEqual([
      expect.stringMatching(/^FIX inputs +no_rounds: the statistics are 503: the ledger has no round\./),
    ]);
    expect((await doctor(...SETTINGS)).lines).toContainEqual(
      expect.stringMatching(/^see inputs +no_chain: .* the ledger has records of reporter_run, but no chain is set/),
    );
    await ingest(ROUND);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS)).toContainEqual(expect.stringMatching(/^FIX inputs +no_closures: /));
    writeFileSync(join(directory, "noonmark.json"), `{ "installationId": "wheel-1", "genesisTimestamp": 1767225600 }`);
    const { stderr } = await runCli(["status"], directory);
    expect(stderr).toContain("warning: no_closures: the statistics are 503");
    expect(stderr).toContain("warning: no_chain: builder and settlementQueue are oracle_head_unavailable");
    writeFileSync(join(directory, ".noonmark/public/v4/public/process.http"), "cut");
    expect(await wrongLines(...SETTINGS)).toContainEqual(
      expect.stringMatching(/^FIX objects +damaged v4\/public\/process: /),
    );
  });

  test("a missing chain is a note, which the exit code does not show and a setting leaves out", async () => {
    await ingest(receipt(1), reporterRun(), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS)).toEqual([]);
    const noted = (lines: readonly string[]) => lines.filter((line) => line.startsWith("see"));
    expect(noted((await doctor(...SETTINGS)).lines)).toEqual([expect.stringMatching(/^see inputs +no_chain: /)]);
    expect(noted((await doctor(...SETTINGS, "--ignored-notes", "no_chain")).lines)).toEqual([]);
    const status = await runCli(["status", "--ignored-notes", "no_chain"], directory);
    expect([status.exitCode, status.stderr]).toEqual([0, ""]);
    const unknown = await runCli(["doctor", "--ignored-notes", "no_rounds"], directory);
    expect(unknown.stdout).toContain("is not one of no_chain");
  });

  test("it finds a 503 response in addition to a note", async () => {
    await ingest(receipt(1), reporterRun());
    await runCli(["publish", "--once", ...SETTINGS], directory);
    const store = new FilesystemStore(join(directory, ".noonmark/public"), { write: true });
    const unanswered = await store.get(statisticsKey("7d"));
    if (unanswered === undefined) throw new Error("no statistics");
    await ingest(ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    await store.put(MODULES_KEY, unanswered);
    expect(await wrongLines(...SETTINGS)).toContainEqual(
      expect.stringMatching(/^FIX publication +\/v1\/public\/modules is 503\. /),
    );
  });

  test("with a wrong clock it reports the clock, nothing that follows from it, and no repair", async () => {
    const ahead = new Date(Date.now() + 86_400_000).toISOString();
    await ingest(receipt(1), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS, "--at", ahead, "--force"], directory);
    const wrong = await wrongLines(...SETTINGS);
    expect(wrong).toEqual([expect.stringMatching(/^FIX clock +this clock says \S+, and the store has objects of /)]);
    expect(wrong.join()).not.toContain("repair");
  });

  test.each(["published.db", "projections.db"])("it finds a corrupt state (%s)", async (file) => {
    await ingest(receipt(1), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    const path = join(directory, ".noonmark/state", file);
    writeFileSync(path, "not a database".padEnd(8192, "."));
    expect(await wrongLines(...SETTINGS)).toEqual([
      expect.stringMatching(`^FIX state +\\S+${file} is not an SQLite file\\. `),
    ]);
  });

  test("it finds a store of another installation", async () => {
    await ingest(receipt(1), receipt(1, { installationId: "wheel-2" }), ROUND, CLOSURE);
    await runCli(["publish", "--once", ...SETTINGS], directory);
    expect(await wrongLines(...SETTINGS, "--installation-id", "wheel-2")).toContainEqual(
      expect.stringMatching(
        /^FIX installation installation_changed: \S+ belongs to wheel-1, and installationId is wheel-2/,
      ),
    );
  });

  test("a round 0 in the future or in milliseconds is rejected by publish and found by doctor", async () => {
    await ingest(receipt(1), ROUND, CLOSURE);
    const future = ["--installation-id", "wheel-1", "--genesis-timestamp", String(600 * 10_000_000)];
    const refused = await runCli(["publish", "--once", ...future], directory);
    // The exit code is not 2, because systemd would then not restart the service. A machine can boot with a clock years
    // behind.
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(
      /^noonmark: genesis_in_future: genesisTimestamp 6000000000 is 2160-02-18T10:40:00\.000Z, /,
    );
    expect(existsSync(join(directory, ".noonmark/public"))).toBe(false);
    expect(await wrongLines(...future)).toEqual([expect.stringMatching(/^FIX settings +genesis_in_future: /)]);
    const inMs = await runCli(
      ["publish", "--once", "--installation-id", "w", "--genesis-timestamp", "1767225600000"],
      directory,
    );
    expect(inMs).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("looks like milliseconds") });
  });

  test.skipIf(NO_SMALL_DISK !== undefined)(
    `a full state disk is found and reported with its path ${NO_SMALL_DISK ?? ""}`,
    async () => {
      await ingest(receipt(1), ROUND, CLOSURE);
      const disk = smallDisk(1024);
      try {
        const state = join(disk.path, "state");
        const full = (free: number) =>
          `FIX disk         state ${state}: ${free} MiB free. Free space on that disk, or name another place with --state.`;
        expect(await wrongLines(...SETTINGS, "--state", state)).toEqual([full(1)]);
        await runCli(["publish", "--once", ...SETTINGS, "--state", state], directory);
        disk.leave(0);
        expect(await wrongLines(...SETTINGS, "--state", state)).toEqual([full(0)]);
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
      const { stdout, stderr } = await runCli(["doctor", ...settings], directory, "", variables);
      const lines = stdout.trimEnd().split("\n");
      expect(stderr).toBe("");
      expect(lines).toContainEqual(expect.stringMatching(/^\S+ +node \S+ chain 31337, head \d+ \(.* old\), batches/));
      expect(lines).toContainEqual(
        "FIX node http://127.0.0.1:9/… transient: no good response. Check the address, its key and whether the node runs.",
      );
      expect(lines).toContainEqual("ok  deployment   no check failed; core available, economy available");
      expect(existsSync(join(directory, ".noonmark"))).toBe(false);
      const mismatch = await doctor(...settings, "--rpc-url", on.anvil.url, "--genesis-timestamp", "600");
      expect(mismatch.exitCode).toBe(1);
      expect(mismatch.lines).toContainEqual(
        expect.stringMatching(/^FIX deployment +genesis_timestamp_configured: .* docs\/spec\/chain\.md#checks /),
      );
    },
  );
});
