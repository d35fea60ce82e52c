/**
 * Adds a temporary route to a copy of this tree, as CONTRIBUTING.md says: its folder, a line in each of three lists,
 * `npm run generate`, and the counts of some tests. Its exchanges follow from its table row. If a part is missing, the tree
 * does not compile. Otherwise the route is published, documented, callable, checked, and served by every front, and `npm test`
 * passes.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { sharedFolder } from "../../support/test-folder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = join(import.meta.dirname, "heartbeat");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

/** On the disk of this tree the packages can be linked. They have 1 GB. */
const DISK = "/var/tmp";
const isSameDisk = existsSync(DISK) && statSync(DISK).dev === statSync(ROOT).dev;
const copy = sharedFolder(isSameDisk ? DISK : undefined);
beforeAll(() => {
  // Tests of `npm test` start the program as another user.
  chmodSync(copy, 0o755);
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: ROOT, encoding: "utf8" });
  for (const file of files.split("\0").filter((name) => name !== "")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  linkPackages();
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
  ])
    execFileSync("git", args, { cwd: copy });
  for (const name of ["route", "contract", "publication"]) {
    lay(`${name}.ts.txt`, `src/resources/heartbeat/${name}.ts`);
  }
});

/** The compiler would follow a symbolic link out of the copy, and then not find some types. */
function linkPackages(): void {
  const [from, to] = [`${ROOT}/node_modules/.`, join(copy, "node_modules")];
  const isLinked = spawnSync("cp", ["--archive", "--link", from, to], { stdio: "ignore" }).status === 0;
  if (!isLinked) execFileSync("cp", ["--archive", from, to]);
}

function lay(fixture: string, path: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  cpSync(join(FIXTURES, fixture), join(copy, path));
}

/** Inserts a line into a list after an existing line, and its import before the first import. */
function addLine(path: string, { after, line, importing }: { after: string; line: string; importing: string }): void {
  const text = readFileSync(join(copy, path), "utf8");
  expect(text, path).toContain(after);
  const added = text.replace(after, `${after}\n${line}`).replace(/^import /m, `${importing}\nimport `);
  writeFileSync(join(copy, path), added);
}

function complaints(): string {
  return spawnSync(process.execPath, [TSC, "--noEmit", "--declaration", "false"], { cwd: copy, encoding: "utf8" })
    .stdout;
}

test("a row without a contract or a publication does not compile", () => {
  addLine("src/resources/table.ts", {
    after: "  modulesRoute,",
    line: "  heartbeatRoute,",
    importing: 'import { heartbeatRoute } from "./heartbeat/route.ts";',
  });
  const text = complaints();
  expect(text).toMatch(/src\/resources\/contracts\.ts.* Property 'heartbeat' is missing/);
  expect(text).toMatch(/src\/resources\/publications\.ts.* Property 'heartbeat' is missing/);
});

test("a row with both compiles, and npm run generate adds it to every derived file", () => {
  addLine("src/resources/contracts.ts", {
    after: "  modules: modulesContract,",
    line: "  heartbeat: heartbeatContract,",
    importing: 'import { heartbeatContract } from "./heartbeat/contract.ts";',
  });
  addLine("src/resources/publications.ts", {
    after: "  modules: ({ installationId }) => [modulesPublication(installationId)],",
    line: "  heartbeat: ({ installationId }) => [heartbeatPublication(installationId)],",
    importing: 'import { heartbeatPublication } from "./heartbeat/publication.ts";',
  });
  const written = execFileSync(process.execPath, ["generate/run.ts"], { cwd: copy, encoding: "utf8" });
  expect(written.trim().split("\n").toSorted()).toEqual([
    "README.md",
    "cdn-config/cloudfront/template.json",
    "cdn-config/cloudfront/viewer-request.js",
    "cdn-config/generate/cloudfront/generated/viewer-request-table.js",
    "cdn-config/generate/nginx/generated/table.js",
    "cdn-config/nginx/noonmark.conf",
    "cdn-config/nginx/noonmark.js",
    "cdn-config/varnish/default.vcl",
    "docs/openapi.json",
    "docs/reference/codes.md",
    "docs/reference/commands.md",
    "packaging/man/noonmark.1",
    "src/client/generated/bodies.ts",
    "src/client/generated/endpoints.ts",
    "src/client/generated/methods.ts",
    "src/openapi/generated/examples.json",
  ]);
  // The sources are final from here on, so they are built once.
  execFileSync("npm", ["run", "format"], { cwd: copy, stdio: "ignore" });
  lay("probe.ts.txt", "test/probe.ts");
  expect(complaints()).toBe("");
});

test("a new route is published, callable from the client, and checked by verify and fsck", () => {
  const probeOutput = execFileSync(process.execPath, ["test/probe.ts"], { cwd: copy, encoding: "utf8" });
  expect(JSON.parse(probeOutput)).toEqual({
    beat: "steady",
    clean: [],
    planted: expect.arrayContaining(["answer/schema"]) as string[],
    fsck: { before: [], after: ["body"] },
  });
});

test("workerd, nginx and Varnish serve a new route according to its exchanges", () => {
  const report = join(copy, "report.json");
  const suites = [
    "test/servers/workerd/workerd-scripts.test.ts",
    "test/servers/nginx.test.ts",
    "test/servers/varnish.test.ts",
  ];
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, "run", ...suites, "-t", "heartbeat", "--maxWorkers", "1"],
    {
      cwd: copy,
      encoding: "utf8",
      env: { ...process.env, NOONTEST_TEST_REPORT: report },
    },
  );
  type Report = { testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[] };
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const found = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "skipped")
      .map(({ fullName, status }) => [name, fullName, status]),
  );
  expect(found.filter(([, , status]) => status !== "passed")).toEqual([]);
  for (const suite of suites)
    expect(
      found.map(([name]) => name),
      `${suite}: ${stdout.slice(-2_000)} ${stderr.slice(-2_000)}`,
    ).toContain(join(copy, suite));
});

/** The counts that CONTRIBUTING.md lists. */
const COUNTS: readonly (readonly [path: string, before: string, after: string])[] = [
  ["test/client/endpoints.test.ts", "    modules: 1,\n", "    modules: 1,\n    heartbeat: 1,\n"],
  ["test/client/package.test.ts", "3_300", "3_330"],
  ["test/fsck/fsck.test.ts", "toBe(37)", "toBe(38)"],
  ["test/bin/commands/operating/fsck.test.ts", "37 objects", "38 objects"],
  ["test/bin/commands/operating/fsck.test.ts", "36 objects", "37 objects"],
  ["test/bin/commands/operating/fsck.test.ts", "objects: 36", "objects: 37"],
  ["test/bin/commands/operating/status.test.ts", "19 responses", "20 responses"],
  ["test/bin/commands/operating/status.test.ts", "17 responses", "18 responses"],
];

test("npm test passes with the new route once the counts are changed", { timeout: 1_800_000 }, () => {
  rmSync(join(copy, "test/probe.ts"));
  for (const [path, before, after] of COUNTS) {
    const text = readFileSync(join(copy, path), "utf8");
    expect(text, path).toContain(before);
    writeFileSync(join(copy, path), text.replaceAll(before, after));
  }
  // As from a terminal: without what this run of the tests has set.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NOONTEST_|NODE_ENV)/.test(name)),
  );
  for (const args of [["run", "format"], ["test"]]) {
    const { status, stdout, stderr } = spawnSync("npm", args, { cwd: copy, encoding: "utf8", env, maxBuffer: 1 << 26 });
    expect(status, `${stdout.slice(-8_000)} ${stderr.slice(-4_000)}`).toBe(0);
  }
});
