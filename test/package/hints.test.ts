// Every path that the program, a generated file or a page of the package names is in the package.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { commentedConfiguration } from "../../bin/commands/operating/init.ts";
import { anchors } from "../docs/markdown.ts";
import { packedFiles } from "./packed-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const PACKED = packedFiles();
/** Matches `docs/nodes.md`, `docs/spec/api.md#process`, `README.md`, but no part of a longer path, as in an import. */
const NAMED =
  /(?<![\w./-])(?:(?:docs|cdn-config|packaging|src|test|bin|bench|demo)\/[\w./-]*\.[a-z0-9]+|[A-Z]{5,}\.md)(?:#[\w-]+)?/g;
/** The format in which verify prints a rule's location. */
const SECTION = /(?<![\w./-])(?:api|publishing|intake|chain|people|log|glossary)\.md#[\w-]+/g;

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Why a path does not resolve within the package; undefined if it does. */
function lost(named: string): string | undefined {
  const [path = "", anchor] = named.split("#");
  if (!PACKED.has(path)) return `${named} is not in the package`;
  return anchor === undefined || anchors(read(path)).includes(anchor) ? undefined : `${path} has no #${anchor}`;
}

function pathsIn(text: string): string[] {
  const sections = [...text.matchAll(SECTION)].map(([section]) => `docs/spec/${section}`);
  return [...[...text.matchAll(NAMED)].map(([named]) => named), ...sections];
}

test("each path that the program prints is in the package", () => {
  const sources = globSync("{src,bin,publish,site}/**/*.{ts,tsx,js}", { cwd: ROOT });
  const found = sources.flatMap((path) => {
    // Without comments, which are for readers of the source.
    const { code } = transformSync(read(path), {
      loader: path.endsWith(".tsx") ? "tsx" : "ts",
      jsx: "preserve",
      minifyWhitespace: true,
    });
    return pathsIn(code).map((named) => ({ path, named }));
  });
  expect(found.length).toBeGreaterThan(20);
  expect(found.flatMap(({ path, named }) => (lost(named) === undefined ? [] : [`${path}: ${lost(named)}`]))).toEqual(
    [],
  );
});

test("each path that a front's file or a written file names is in the package", () => {
  const fronts = globSync("cdn-config/*/*", { cwd: ROOT }).map((path) => [path, read(path)] as const);
  for (const [path, text] of [...fronts, ["noonmark.json", commentedConfiguration()] as const]) {
    expect
      .soft(
        pathsIn(text).flatMap((named) => lost(named) ?? []),
        path,
      )
      .toEqual([]);
  }
  expect(fronts.map(([path]) => path).filter((path) => !PACKED.has(path))).toEqual([]);
  const { main } = JSON.parse(read("cdn-config/cloudflare/wrangler.jsonc").replace(/^\/\/.*$/m, "")) as {
    main: string;
  };
  expect(PACKED).toContain(join("cdn-config/cloudflare", main));
});

test("the files that package.json names are in the package", () => {
  const { bin, exports, engines } = JSON.parse(read("package.json")) as {
    bin: Record<string, string>;
    exports: Record<string, string | Record<string, string>>;
    engines: { node: string };
  };
  const targets = [
    ...Object.values(bin),
    ...Object.values(exports).flatMap((one) => (typeof one === "string" ? one : Object.values(one))),
  ];
  expect(targets.map((target) => target.replace(/^\.\//, "")).filter((path) => !PACKED.has(path))).toEqual([]);
  expect(read("bin/noonmark.js")).toContain(engines.node.replace(">=", ""));
});
