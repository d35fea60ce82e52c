/** The built program: a few files that run from any location. */
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { PROGRAM, runCli } from "../support/cli.ts";
import { configuredFolder } from "../support/test-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const DIST = join(ROOT, "dist");
/** Runs the sources with each command line of the argument, and prints \0 after each. */
const SOURCES = `import { main } from "${ROOT}/bin/main.ts";
for (const args of JSON.parse(process.argv[1])) {
  process.exitCode = undefined;
  await main(["node", "noonmark", ...args]);
  process.stdout.write((process.exitCode ?? 0) + "\\0");
  process.stderr.write("\\0");
}
process.exitCode = 0;`;

let home: string;
beforeEach(() => {
  home = configuredFolder();
});

function run(args: readonly string[], program = [PROGRAM]) {
  const env = { PATH: process.env.PATH, HOME: home, AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
    cwd: home,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** A file of dist/ and everything that it imports statically. */
function loadedWith(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(DIST, file), "utf8");
  for (const [, path = ""] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) loadedWith(path, found);
  return found;
}

const scripts = () => readdirSync(DIST).filter((name) => name.endsWith(".js"));
const bytesOf = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + statSync(join(DIST, file)).size, 0);

test("the program is a few files, and --version, --help and completion load a fraction of them", () => {
  expect(scripts().length).toBeLessThan(70);
  const light = ["known-tree", "completion"].map((name) => scripts().find((file) => file.startsWith(`${name}-`)) ?? "");
  const loaded = new Set(["noonmark.js", ...light].flatMap((file) => [...loadedWith(file)]));
  expect(bytesOf(loaded)).toBeLessThan(bytesOf(scripts()) / 15);
});

test("publish does not load the logger, metrics, S3 SDK, viem or chain reader at start-up", () => {
  const [publisher = ""] = scripts().filter((file) => file.startsWith("publisher-"));
  const text = [...loadedWith(publisher)].map((file) => readFileSync(join(DIST, file), "utf8")).join("\n");
  expect(text).toContain("wal_checkpoint");
  for (const other of ["eth_getLogs", "S3Client", "process_cpu_user_seconds_total", "pino", "decodeAbiParameters"])
    expect(text, other).not.toContain(other);
});

test("--help, a misspelt command and the completion scripts match the sources", async () => {
  const commandLines = [
    ["--help"],
    ["help", "ledger"],
    ["publisch"],
    ["help", "publisch"],
    ["completion", "bash"],
    ["completion", "fish"],
  ];
  const sources = run([JSON.stringify(commandLines)], ["--input-type=module", "-e", SOURCES, "--"]);
  const [stdout, stderr] = [sources.stdout.split("\0"), sources.stderr.split("\0")];
  for (const [index, args] of commandLines.entries()) {
    const built = await runCli(args, home);
    expect(built.stdout + built.stderr, args.join(" ")).not.toBe("");
    expect([`${built.stdout}${built.exitCode}`, built.stderr]).toEqual([stdout[index], stderr[index]]);
  }
});

test("help of an unknown command names it and the nearest one, without the whole help", async () => {
  expect(await runCli(["help", "publisch"], home)).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/^noonmark: usage: unknown command 'publisch'; did you mean publish\?\n.*\n$/),
  });
});

test("the S3 SDK is a separate file that is loaded only if a store needs it", () => {
  const { stderr } = run(["fsck", "--store", "s3://bucket/prefix", "--s3-endpoint", "http://127.0.0.1:1"]);
  expect(stderr).toMatch(/^noonmark: store_unavailable: .*127\.0\.0\.1:1/);
});

test("a run writes nothing to the user's home directory", () => {
  expect(run(["status", "--settings"])).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(home)).toEqual(["noonmark.json"]);
});

test("each bundled package is listed with version and licence, or is a dependency", () => {
  const files = globSync("{bin,src,publish,cdn-config,demo/history,site/page}/**/*.{ts,tsx}", { cwd: ROOT });
  const imported = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return [
      ...text.matchAll(
        /^(?:import|export) (?!type ).*from "((?!node:)[^."][^"]*)";$|import\("((?!node:)[^."][^"]*)"\)/gms,
      ),
    ];
  });
  const packages = new Set(imported.map(([, one, other]) => /^(?:@[^/]+\/)?[^/]+/.exec(one ?? other ?? "")?.[0] ?? ""));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const listed = readFileSync(join(DIST, "licenses.txt"), "utf8");
  const development = ["esbuild"];
  const missing = [...packages].filter(
    (name) =>
      !(name in dependencies) &&
      !development.includes(name) &&
      !new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: [A-Z]`, "m").test(listed),
  );
  expect(packages.size).toBeGreaterThan(10);
  expect(missing).toEqual([]);
  expect(Object.keys(dependencies)).toEqual(["better-sqlite3"]);
});
