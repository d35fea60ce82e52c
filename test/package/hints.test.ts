// Every path that the program, a generated file or a page of the package names is in the package.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { FAILURES } from "../../bin/cli/failures.ts";
import { commentedConfiguration } from "../../bin/commands/operating/init.ts";
import { deploymentSchema } from "../../src/chain/deployment.ts";
import { anchors, links } from "../docs/markdown.ts";
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

test("the scan finds paths and sections in a text", () => {
  expect(
    pathsIn('"docs/nodes.md lists", (api.md#process; fix), ../docs/x.md README.md, docs/spec/api.md#process'),
  ).toEqual(["docs/nodes.md", "README.md", "docs/spec/api.md#process", "docs/spec/api.md#process"]);
  expect([lost("docs/none.md"), lost("docs/nodes.md#none")]).not.toContain(undefined);
});

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

test("each link of a packed page leads to a packed page", () => {
  const pages = [...PACKED].filter((path) => path.endsWith(".md"));
  expect(pages).toContain("README.md");
  const broken = pages.flatMap((page) => {
    const text = read(page);
    const pictures = [...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, target = ""]) => target);
    const targets = [...links(text).map(({ target }) => target), ...pictures];
    return targets
      .filter((target) => !/^(?:https?|mailto):/.test(target) && !target.startsWith("#"))
      .map((target) => join(dirname(page), target.split("#")[0] ?? ""))
      .filter((path) => !PACKED.has(path) && ![...PACKED].some((file) => file.startsWith(`${path}/`)))
      .map((path) => `${page}: ${path}`);
  });
  expect(broken).toEqual([]);
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

test("the hints about a deployment and a check lead to their sections", () => {
  const section = (named: string | undefined) => {
    const [path = "", anchor = ""] = (named ?? "").split("#");
    return (
      read(path)
        .split('<a id="')
        .find((part) => part.startsWith(`${anchor}"`)) ?? ""
    );
  };
  const [keys] = pathsIn(read("src/chain/deployment.ts"));
  for (const key of Object.keys(deploymentSchema.shape)) expect.soft(section(keys)).toContain(key);
  const [checks] = pathsIn(FAILURES.indexer_mismatch[2]);
  const names = [...(read("src/chain/poll-event.ts").split("type CheckName")[1] ?? "").matchAll(/\| "(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect.soft(section(checks)).toContain(`\`${name}\``);
});
