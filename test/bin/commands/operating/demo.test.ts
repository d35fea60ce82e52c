/** `noonmark demo` creates a directory in which the next two commands work, and changes no other directory. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { call, listeningPort, NO_ANVIL } from "../../../../demo/chain/anvil.ts";
import { type Finished, runCli } from "../../../support/cli.ts";
import { sharedFolder, testFolder } from "../../../support/test-folder.ts";

let directory: string;
beforeEach(() => {
  directory = testFolder();
});

/**
 * A shared demo, because thirty days of facts take seconds. The ledger, the state and the store beside it are not the
 * demo's.
 */
const shared = sharedFolder();
const startedAt = Date.now();
let made: Finished;
beforeAll(async () => {
  for (const folder of ["new/demo", ".noonmark/state", ".noonmark/public"])
    mkdirSync(join(shared, folder), { recursive: true });
  writeFileSync(join(shared, ".noonmark/ledger.db"), "mine");
  const variables = { NOONMARK_STORE: "s3://real/one", NOONMARK_LEDGER: "/real.db" };
  made = await runCli(["demo", "new/demo"], shared, "", variables);
});

test("demo writes thirty days of facts up to now, which can be published at once", async () => {
  expect(made.exitCode, made.stderr).toBe(0);
  expect(made.stdout).toMatch(/^new\/demo: 1\d{5} simulated facts of 30 days /);
  expect(made.stdout).toContain("noonmark publish --once --publish-log --config new/demo/noonmark.json\n");
  expect(made.stdout).toContain("noonmark serve --config new/demo/noonmark.json\n");
  const ofChain = NO_ANVIL === undefined ? ["chain.json", "deployment.json"] : [];
  const files = [".noonmark", ...ofChain, "facts.ndjson", "log.key", "noonmark.json"];
  expect(readdirSync(join(shared, "new/demo")).sort()).toEqual(files);
  const config = ["--config", "new/demo/noonmark.json"];
  const published = await runCli(["publish", "--once", "--publish-log", ...config], shared);
  expect(published).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/, 0 failed\n$/) });
  const rendered = await runCli(["render", "/v1/public/telemetry", "--body", ...config], shared);
  expect(JSON.parse(rendered.stdout)).toMatchObject({
    observedAt: expect.toSatisfy((at: string) => Date.parse(at) > startedAt - 60_000),
    measurement: { provenance: "simulated" },
  });
});

test.each([
  { what: "a directory with a file", name: "full", code: "usage" },
  { what: "a file", name: "full/mine.txt", code: "usage" },
])("demo rejects $what and leaves it unchanged", async ({ name, code }) => {
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

test.skipIf(NO_ANVIL !== undefined)(
  "if anvil is installed demo creates a sample chain, and the printed command runs it",
  async () => {
    expect(made.stdout).toMatch(
      /^A sample chain with 2\d\d settled batches is in \S*chain\.json and \S*deployment\.json\.$/m,
    );
    const [line] = /^ {2}\S*anvil .*$/m.exec(made.stdout) ?? [""];
    // Uses a free port and prints it.
    const anvil = spawn(line.trim().replace("--port 8545 --silent", "--port 0"), { cwd: shared, shell: "bash" });
    try {
      const url = `http://127.0.0.1:${await listeningPort(anvil)}`;
      await call(url, "anvil_mine", ["0xc"]);
      const config = ["--config", "new/demo/noonmark.json", "--rpc-url", url];
      const published = await runCli(["publish", "--once", "--publish-log", ...config], shared);
      expect(published).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/, 0 failed\n$/) });
      for (const view of ["/v4/public/onchain", "/v4/public/settlements?range=7d", "/v1/public/activity"]) {
        const rendered = await runCli(["render", view, "--body", ...config], shared);
        expect(JSON.parse(rendered.stdout), view).toMatchObject({ status: "available" });
      }
    } finally {
      anvil.kill();
    }
  },
);

test("demo --help mentions the chain if anvil is installed", async () => {
  expect((await runCli(["demo", "--help"], directory)).stdout).toContain("If anvil is installed");
});
