/**
 * A small route in a copy of this tree: its folder, a line in each of three lists, and `npm run generate`. If a part is
 * missing, the tree does not compile. Otherwise `npm test` passes. No server is needed.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addContractAndPublication, addRow, copyOfTree, generate, lay } from "./copy.ts";

const TSC = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
const copy = copyOfTree();

const DERIVED: readonly string[] = [
  "README.md",
  "docs/openapi.json",
  "docs/reference.md",
  "src/client/generated/bodies.ts",
  "src/client/generated/endpoints.ts",
  "src/client/generated/methods.ts",
];

test("a row without a contract or a publication does not compile", () => {
  addRow(copy);
  const config = join(copy, "lists.json");
  const files = ["src/resources/contracts.ts", "src/resources/publications.ts"];
  writeFileSync(config, JSON.stringify({ extends: "./tsconfig.json", include: [], files }));
  const { stdout } = spawnSync(process.execPath, [TSC, "--noEmit", "-p", config], { cwd: copy, encoding: "utf8" });
  expect(stdout).toMatch(/src\/resources\/contracts\.ts.* Property 'heartbeat' is missing/);
  expect(stdout).toMatch(/src\/resources\/publications\.ts.* Property 'heartbeat' is missing/);
  rmSync(config);
});

test("npm run generate adds a route with both to every derived file", () => {
  addContractAndPublication(copy);
  expect(generate(copy)).toEqual(DERIVED);
});

/** The modules that no route can change: they import none, by ARCHITECTURE's table, which a test enforces. */
function modulesBelow(): string[] {
  const rows = readFileSync(join(copy, "ARCHITECTURE.md"), "utf8").matchAll(
    /^\| `(?:src\/)?([a-z-]+)` \| .* \| (.*) \|$/gm,
  );
  const imports = new Map([...rows].map(([, name, allowed]) => [String(name), String(allowed).split(", ")]));
  const isBelow = (name: string): boolean => {
    const allowed = imports.get(name) ?? [name];
    return allowed.every((other) => other === "nothing" || (imports.has(other) && isBelow(other)));
  };
  return [...imports.keys()].filter(
    (name) => isBelow(name) && !DERIVED.some((path) => path.startsWith(`src/${name}/`)),
  );
}

test("npm test passes with the new route and its test", { timeout: 1_800_000 }, () => {
  lay(copy, "heartbeat.test.ts.txt", "test/heartbeat.test.ts");
  // As from a terminal: without what this run of the tests has set.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NOONTEST_|NODE_ENV)/.test(name)),
  );
  // Their tests run in the tree itself.
  const below = modulesBelow();
  expect(below).toContain("ledger");
  const folders = readdirSync(join(copy, "test")).filter((name) => !below.includes(name));
  let printed = "";
  for (const args of [
    ["run", "format"],
    ["test", "--", ...folders.map((name) => `test/${name}`)],
  ]) {
    const { status, stdout, stderr } = spawnSync("npm", args, { cwd: copy, encoding: "utf8", env, maxBuffer: 1 << 26 });
    expect(status, `${stdout.slice(-8_000)} ${stderr.slice(-4_000)}`).toBe(0);
    printed = stdout;
  }
  expect(printed).toContain("test/heartbeat.test.ts");
});
