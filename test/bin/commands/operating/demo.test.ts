/** `noonmark demo`: a directory from which the next two commands work, and no other directory is touched. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, listeningPort, NO_ANVIL } from "../../../../demo/chain/anvil.ts";
import { runCli } from "../../../support/cli.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "noonmark-demo-command-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

test("what demo writes is thirty days up to now, and publishes at once", async () => {
  const begun = Date.now();
  const made = await runCli(["demo", "new/demo"], directory);
  expect(made).toMatchObject({ exitCode: 0, stderr: "" });
  expect(made.stdout).toMatch(/^new\/demo: 1\d{5} simulated facts of 30 days /);
  expect(made.stdout).toContain("noonmark publish --once --config new/demo/noonmark.json\n");
  expect(made.stdout).toContain("noonmark serve --config new/demo/noonmark.json\n");
  const ofChain = NO_ANVIL === undefined ? ["chain.json", "deployment.json"] : [];
  const files = [".noonmark", ...ofChain, "facts.ndjson", "noonmark.json"];
  expect(readdirSync(join(directory, "new/demo")).sort()).toEqual(files);
  const config = ["--config", "new/demo/noonmark.json"];
  const published = await runCli(["publish", "--once", ...config], directory);
  expect(published).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/, 0 failed\n$/) });
  const rendered = await runCli(["render", "/v1/public/telemetry", "--body", ...config], directory);
  expect(JSON.parse(rendered.stdout)).toMatchObject({
    observedAt: expect.toSatisfy((at: string) => Date.parse(at) > begun - 60_000),
    measurement: { provenance: "simulated" },
  });
  const again = await runCli(["ingest", "new/demo/facts.ndjson", "--yes", ...config], directory);
  expect(again.stdout).toMatch(/^0 accepted, 1\d{5} duplicate, 0 rejected\n$/);
});

test("an empty directory is filled and can be published, also beside a ledger, state and store that are there", async () => {
  for (const made of ["empty", ".noonmark/state", ".noonmark/public"])
    mkdirSync(join(directory, made), { recursive: true });
  writeFileSync(join(directory, ".noonmark/ledger.db"), "mine");
  expect(await runCli(["demo", "empty"], directory)).toMatchObject({ exitCode: 0, stderr: "" });
  const published = await runCli(["publish", "--once", "--config", "empty/noonmark.json"], directory);
  expect(published).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/, 0 failed\n$/) });
  expect(readdirSync(join(directory, ".noonmark/public"))).toEqual([]);
});

test.each([
  { what: "a directory with a file", name: "full", code: "directory_not_empty" },
  { what: "a link to a directory with a file", name: "link", code: "directory_not_empty" },
  { what: "a directory with a hidden file", name: "hidden", code: "directory_not_empty" },
  { what: "a file", name: "full/mine.txt", code: "not_a_directory" },
])("$what is left as it is", async ({ name, code }) => {
  for (const made of ["full", "hidden"]) mkdirSync(join(directory, made));
  writeFileSync(join(directory, "full/mine.txt"), "mine");
  writeFileSync(join(directory, "hidden/.mine"), "mine");
  symlinkSync("full", join(directory, "link"));
  const refused = await runCli(["demo", name], directory);
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toMatch(
    new RegExp(`^noonmark: ${code}: ${name} is .*\\n  Name a directory that is new or empty: `),
  );
  expect(readdirSync(directory).sort()).toEqual(["full", "hidden", "link"]);
  expect([readdirSync(join(directory, "full")), readdirSync(join(directory, "hidden"))]).toEqual([
    ["mine.txt"],
    [".mine"],
  ]);
  expect(readFileSync(join(directory, "full/mine.txt"), "utf8")).toBe("mine");
});

test("a variable that would send the next commands elsewhere is named, and demo itself does not obey it", async () => {
  const variables = { NOONMARK_STORE: "s3://real/one", NOONMARK_LEDGER: "/real.db" };
  const { exitCode, stderr } = await runCli(["demo", "demo"], directory, "", variables);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^noonmark: warning: variables_set: NOONMARK_LEDGER, NOONMARK_STORE: set, /);
  expect(stderr).toContain("unset NOONMARK_LEDGER NOONMARK_STORE\n");
  expect(readdirSync(join(directory, "demo/.noonmark"))).toContain("ledger.db");
});

test.skipIf(NO_ANVIL !== undefined)(
  "with anvil it has a sample chain, and the line that it prints runs it",
  async () => {
    const { stdout } = await runCli(["demo", "demo"], directory);
    expect(stdout).toMatch(/^A sample chain with 2\d\d settled batches is in chain\.json and deployment\.json\.$/m);
    const [line] = /^ {2}\S*anvil .*$/m.exec(stdout) ?? [""];
    // On a free port, and saying which.
    const anvil = spawn(line.trim().replace("--port 8545 --silent", "--port 0"), { cwd: directory, shell: "bash" });
    try {
      const url = `http://127.0.0.1:${await listeningPort(anvil)}`;
      await call(url, "anvil_mine", ["0xc"]);
      const config = ["--config", "demo/noonmark.json", "--rpc-url", url];
      const published = await runCli(["publish", "--once", ...config], directory);
      expect(published).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/, 0 failed\n$/) });
      for (const view of ["/v4/public/onchain", "/v4/public/settlements?range=7d", "/v1/public/activity"]) {
        const rendered = await runCli(["render", view, "--body", ...config], directory);
        expect(JSON.parse(rendered.stdout), view).toMatchObject({ status: "available" });
      }
    } finally {
      anvil.kill();
    }
  },
);

test("--help says that the demo has a chain if anvil is installed", async () => {
  expect((await runCli(["demo", "--help"], directory)).stdout).toContain("If anvil is installed");
});
