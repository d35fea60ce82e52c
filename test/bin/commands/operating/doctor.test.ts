import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../../demo/chain/anvil.ts";
import { stage } from "../../../support/chain/harness.ts";
import { runCli } from "../../../support/cli.ts";

describe("noonmark doctor", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "noonmark-doctor-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  async function doctor(...flags: string[]) {
    const { exitCode, stdout, stderr } = await runCli(["doctor", ...flags], directory);
    expect(stderr).toBe("");
    return { exitCode, lines: stdout.trimEnd().split("\n") };
  }

  test("before the first start: what is missing, and what to do; nothing is made", async () => {
    const { exitCode, lines } = await doctor();
    expect(exitCode).toBe(1);
    expect(lines[0]).toMatch(/^ok {3}node {9}\d+\.\d+\.\d+$/);
    expect(lines[1]).toMatch(/^MEND settings {5}missing_setting: installationId .* Give --installation-id <id>, /);
    expect(lines[2]).toMatch(
      /^MEND ledger {7}ledger_not_found: .* restore it from a backup; a first deployment makes it with `noonmark ingest FILE`/,
    );
    expect(lines.slice(3)).toEqual([
      "ok   state        .noonmark/state: publish will make it",
      "ok   store        .noonmark/public: publish will make it",
      "ok   chain        none: its views are answered as disabled",
    ]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a mistake in the settings is the one finding", async () => {
    writeFileSync(join(directory, "noonmark.json"), '{ "ledgr": "x" }');
    const { exitCode, lines } = await doctor();
    expect(exitCode).toBe(1);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('unknown key "ledgr"; did you mean ledger? Known keys: ');
  });

  test("after a publish all is well; an address where nobody answers is not", async () => {
    const settings = ["--installation-id", "wheel-1", "--ledger", "none", "--genesis-timestamp", "0"];
    expect((await runCli(["publish", "--once", ...settings], directory)).exitCode).toBe(0);
    const well = await doctor(...settings);
    expect(well.exitCode).toBe(0);
    expect(well.lines).toContainEqual(expect.stringMatching(/^ok {3}store {8}\S+: read, written$/));
    expect(well.lines).toContainEqual(expect.stringMatching(/^ok {3}lease {8}epoch 1, released [\d.]+ s ago$/));
    const outside = await doctor(...settings, "--url", "http://127.0.0.1:9", "--json");
    expect(outside.exitCode).toBe(1);
    expect(JSON.parse(outside.lines[0] ?? "").at(-1)).toMatchObject({ check: "public side", ok: false });
  });

  test.skipIf(NO_ANVIL !== undefined)(
    "a chain: each node, and the deployment's check that fails, by name",
    async () => {
      await using on = await stage();
      const file = join(directory, "deployment.json");
      const settings = ["--installation-id", "wheel-1", "--ledger", "none", "--deployment", file, "--rpc-url"];
      writeFileSync(file, JSON.stringify(on.world.deployment));
      await on.world.mine(20);
      const { lines } = await doctor(...settings, `${on.anvil.url},http://127.0.0.1:9/secret`);
      expect(lines).toContainEqual(expect.stringMatching(/^\S+ +node \S+ chain 31337, head \d+ \(.* old\), batches/));
      expect(lines).toContainEqual(
        "MEND node http://127.0.0.1:9/… transient: no good answer. Look at the address, its key and whether the node runs.",
      );
      expect(lines).toContainEqual("ok   deployment   no check failed; core available, economy available");
      expect(existsSync(join(directory, ".noonmark"))).toBe(false);
      const mismatch = await doctor(...settings, on.anvil.url, "--genesis-timestamp", "600");
      expect(mismatch.exitCode).toBe(1);
      expect(mismatch.lines).toContainEqual(
        expect.stringMatching(/^MEND deployment +genesis_timestamp_configured: .* docs\/spec\/chain\.md#checks /),
      );
    },
  );
});
