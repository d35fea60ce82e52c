// The specification matches the code: its example and interfaces are valid, and its links and citations resolve.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseAbi, toEventSelector, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import * as ABIS from "../../src/chain/abi.ts";
import { deploymentSchema } from "../../src/chain/deployment.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { RULES } from "../../src/verify/rules.ts";
import { anchors, fenced, links, writtenAnchors } from "./markdown.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DOCUMENTS = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT });
const SOURCES = globSync(
  [
    "{src,bin,publish,site,scripts,cdn-config,test,demo,.ci}/**/*.{ts,tsx,js,json,jsonc,vcl,conf,mjs,http-script,sh}",
    "{.oxlintrc,knip,biome,tsconfig}.json",
  ],
  { cwd: ROOT },
);

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const spec = (name: string) => read(`docs/spec/${name}.md`);

function hasAnchor(path: string, anchor: string): boolean {
  return anchors(read(path)).includes(anchor);
}

test("the example deployment passes the schema", () => {
  const [example = ""] = fenced(spec("chain"), "json");
  const parsed = deploymentSchema.parse(JSON.parse(example));
  expect(parsed.economy?.releaseId).toBe("release-1");
});

test("the documented interfaces match the source", () => {
  const [block = ""] = fenced(spec("chain"), "solidity");
  const signatures = block
    .split("\n")
    .map((line) => line.replace(/\/\/.*/, "").trim())
    .filter((line) => line !== "");
  const written = signatures.map((signature) => selector(parseAbi([signature])[0]));
  const known = Object.values(ABIS).flatMap((abi) => abi.map(selector));
  expect(written).toEqual(known);
});

test("every link in the documents resolves to a file and an anchor", () => {
  const broken = DOCUMENTS.flatMap((path) =>
    links(read(path))
      .filter(({ target }) => !/^(?:https?|mailto):/.test(target) && !leadsSomewhere(path, target))
      .map(({ line, target }) => `${path}:${line} ${target}`),
  );
  expect(broken).toEqual([]);
});

test("every file that ARCHITECTURE.md and CONTRIBUTING.md name exists", () => {
  const named = ["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((page) =>
    [...read(page).matchAll(/`((?:src|publish|bin|test|docs|site|build|cdn-config)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !path.includes("NAME") && !existsSync(join(ROOT, path)))).toEqual([]);
});

test("every file that a comment names exists", () => {
  const comment = /^\s*(?:\/\/|\/?\*).*$/gm;
  const path = /(?<![\w./-])(?:src|publish|bin|demo|cdn-config|site|build|test|bench|docs)\/[\w./-]+\.[a-z]+\b/g;
  const named = SOURCES.flatMap((source) =>
    (read(source).match(comment) ?? []).flatMap((line) =>
      (line.match(path) ?? []).map((file) => `${file} in ${source}`),
    ),
  );
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter((file) => !existsSync(join(ROOT, file.split(" in ")[0] ?? "")))).toEqual([]);
});

test("the files that ARCHITECTURE.md lists for a question contain its numbers and names", () => {
  const section = read("ARCHITECTURE.md").split('<a id="where"></a>')[1]?.split('<a id="')[0] ?? "";
  const rows = [...section.matchAll(/^\| ([^|]*\?) \| ([^|]*) \| ([^|]*) \|$/gm)];
  const sought = rows.flatMap(([, question = "", ...columns]) =>
    columns.flatMap((column) => {
      const paths = [...column.matchAll(/`((?:src|publish|bin|test)\/[\w./-]+\.[\w-]+)`/g)].map(
        ([, path = ""]) => path,
      );
      const words = [...question.matchAll(/`(\w+)`|\b(\d+)\b/g)].map(([, name, number]) => name ?? number ?? "");
      return words.map((word) => ({ word, paths }));
    }),
  );
  expect(sought.length).toBeGreaterThan(8);
  const missing = sought.filter(
    ({ word, paths }) => !paths.some((path) => new RegExp(`(?<!\\d)${word}(?!\\d)`).test(read(path))),
  );
  expect(missing).toEqual([]);
});

test("the constants that ARCHITECTURE.md lists have its times", () => {
  const section = read("ARCHITECTURE.md").split('<a id="times"></a>')[1]?.split('<a id="')[0] ?? "";
  const rows = [...section.matchAll(/^\| ([^|]*) \| ([^|]*) \| `([^`]*)` \|/gm)];
  // The head of the table has no file.
  expect(rows.length).toBe((section.match(/^\| \w/gm)?.length ?? 0) - 1);
  expect(rows.length).toBeGreaterThan(10);
  for (const [, times = "", names = "", path = ""] of rows) {
    const source = read(path);
    const found = [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => {
      const [, factors = ""] = new RegExp(`const ${name} = (?:\\{ ttlMs: )?([\\d_ *]+)`).exec(source) ?? [];
      const time = factors.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
      return `${time / (name.endsWith("_SECONDS") ? 1 : 1000)} s`;
    });
    expect.soft(found.join(", "), path).toBe(times);
  }
});

test("every citation of the specification, in source and documents, names an existing section", () => {
  const cited = /docs\/spec\/([a-z-]+\.md)(?:#([\w-]+))?/g;
  const broken = [...DOCUMENTS, ...SOURCES].flatMap((path) =>
    [...read(path).matchAll(cited)]
      .filter(([, file = "", anchor]) => {
        const target = `docs/spec/${file}`;
        return !existsSync(join(ROOT, target)) || (anchor !== undefined && !hasAnchor(target, anchor));
      })
      .map(([citation]) => `${path}: ${citation}`),
  );
  expect(broken).toEqual([]);
});

test("every rule of verify and every route cites an existing section", () => {
  const routes = ROUTES.map(({ anchor }) => `docs/spec/api.md#${anchor}`);
  const cited = [...[...RULES.values()].map(({ clause }) => clause), ...routes];
  const broken = cited.filter((citation) => {
    const [path = "", anchor = ""] = citation.split("#");
    return !existsSync(join(ROOT, path)) || !hasAnchor(path, anchor);
  });
  expect(broken).toEqual([]);
  expect(cited.length).toBeGreaterThan(50);
});

test("an anchor is unique in its file", () => {
  for (const path of DOCUMENTS) {
    const found = writtenAnchors(read(path));
    expect.soft(found, path).toEqual([...new Set(found)]);
  }
});

/** The topic or selector of an ABI item, and which inputs of an event are indexed. */
function selector(item: Parameters<typeof toEventSelector>[0] | Parameters<typeof toFunctionSelector>[0]): string {
  if (typeof item === "string") return item;
  if (item.type === "function") return `${toFunctionSelector(item)} ${JSON.stringify(item.outputs)}`;
  return `${toEventSelector(item)} ${JSON.stringify(item.inputs)}`;
}

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from : relative(ROOT, resolve(ROOT, dirname(from), file));
  if (path.startsWith("..") || !existsSync(join(ROOT, path))) return false;
  return anchor === undefined || hasAnchor(path, anchor);
}
