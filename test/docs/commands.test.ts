/**
 * Every command in README and docs is run as written, or this file names the test that runs it. Commands that need no
 * server run here; the others run in test/servers, straight from the page.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { testFolder } from "../support/test-folder.ts";
import { fenced } from "./markdown.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Shell blocks by page and heading. */
const BLOCKS = globSync(["README.md", "docs/*.md", "docs/alerts/*.md"], { cwd: ROOT }).flatMap((page) =>
  read(page)
    .split(/^(?=#+ )/m)
    .flatMap((section) => {
      const heading = section.split("\n", 1)[0]?.replace(/^#+ /, "") ?? "";
      return fenced(section, "sh").map((block) => ({ where: `${page}: ${heading}`, block }));
    }),
);

/** The test that runs a block, by page and heading. */
const RUN: Readonly<Record<string, string>> = {
  "README.md: Noonmark": "test/servers/package/package.test.ts",
  "README.md: Start": "test/servers/demo.test.ts",
  "README.md: Commands": "test/servers/package/package.test.ts",
  "docs/storage.md: A bucket, from nothing to a checked publication": "test/servers/operator/bucket.test.ts",
  "docs/storage.md: Moving the store": "test/servers/operator/operating.test.ts",
  "docs/storage.md: Changing the installation": "test/servers/operator/operating.test.ts",
  "docs/cdn.md: Check it": "test/servers/documented.test.ts",
  "docs/cdn.md: Varnish": "test/package/docker.test.ts",
  // On free ports, until a signal.
  "docs/metrics.md: Metrics": "test/bin/commands/publishing/publish-metrics.test.ts",
  "docs/facts.md: Writing facts for `noonmark ingest`": "here",
  "docs/log.md: Check it with Noonmark": "test/verify/log/log.test.ts",
  "docs/log.md: For operators: the key": "here",
};

test("no page has a block that no test runs", () => {
  const places = new Set(
    BLOCKS.map(({ where }) => where).filter((where) => !/^docs\/(?:operating|incidents)\.md: /.test(where)),
  );
  expect([...places].sort()).toEqual(Object.keys(RUN).sort());
  const tests = [...Object.values(RUN), "test/servers/operator/operating.test.ts"].filter((path) => path !== "here");
  expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("every command that a page names exists", () => {
  const commands = [...read("docs/reference.md").matchAll(/^### ([a-z ]+)$/gm)].map(([, name = ""]) => name);
  const exists = (name: string) => commands.some((command) => `${command} `.startsWith(`${name} `));
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT, exclude: ["CHANGELOG.md"] });
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:`|^)noonmark ([a-z]+)/gm)].map(([, name = ""]) => ({ page, name })),
  );
  expect(named.filter(({ name }) => name !== "help" && !exists(name))).toEqual([]);
});

function emptyFolder(): string {
  const folder = testFolder();
  return folder;
}

/** The lines of a block without comments. */
function linesOf(where: string): string[][] {
  const found = BLOCKS.find((one) => one.where === where);
  if (found === undefined) throw new Error(`there is no block at ${where}`);
  return found.block
    .trim()
    .split("\n")
    .map((line) =>
      line
        .replace(/\s+#.*$/, "")
        .split(" ")
        .slice(1),
    );
}

test("docs/facts.md: an example, and a file", async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, "noonmark.json"), "{}\n");
  const lines = linesOf("docs/facts.md: Writing facts for `noonmark ingest`");
  const [example = [], file = [], ...following] = lines;
  const printed = await runCli(example, folder);
  expect([printed.exitCode, JSON.parse(printed.stdout)]).toEqual([0, expect.objectContaining({ type: "receipt" })]);
  writeFileSync(join(folder, "facts.ndjson"), printed.stdout);
  expect(await runCli(file, folder)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^1 accepted, 0 duplicate, 0 rejected; ledger /),
  });
  // The commands that run until a signal: test/bin/commands/intake/ingest-follow.test.ts and test/servers/stream.
  expect(following.map((line) => line.slice(0, 2).join(" "))).toEqual(Array(3).fill("ingest --follow"));
});

test("docs/log.md: a key is made, and shown again", async () => {
  const folder = emptyFolder();
  const [generate = [], show = []] = linesOf("docs/log.md: For operators: the key");
  const made = await runCli(generate, folder);
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^wheel\.example\.org\+[0-9a-f]{8}\+/) });
  expect(await runCli(show, folder)).toEqual(made);
});
