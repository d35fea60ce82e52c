/** ARCHITECTURE.md's table of modules is the allow-list of imports: an edge that it does not list fails here. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** The part of a module that another one may import. */
type Part = "all" | "rows" | "types";
interface Allowed {
  /** Every module of the product. */
  readonly isEverything: boolean;
  readonly parts: ReadonlyMap<string, Part>;
}

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const MODULES = modulesOf(read("ARCHITECTURE.md"));
/** The files of a route that Workers, fronts and generators load: they may import no schema and no renderer. */
const ROW_FILE = /^src\/resources\/(?:(?:table|find)|[^/]+\/(?:route|stored-activity|public-record))\.ts$/;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const SOURCES = globSync("{src,publish,cdn-config,site,scripts,demo,bin}/**/*.{ts,tsx}", {
  cwd: ROOT,
}).toSorted();

test("every import is allowed by the table of modules, and every file belongs to a module", () => {
  expect(SOURCES.length).toBeGreaterThan(300);
  const imports = SOURCES.flatMap((file) => importsIn(file, read(file)));
  expect(imports.length).toBeGreaterThan(1000);
  expect(SOURCES.filter((file) => moduleOf(file) === undefined)).toEqual([]);
  expect(imports.flatMap((one) => fault(one) ?? [])).toEqual([]);
  const edges = new Set(imports.map(({ from, to }) => `${moduleOf(from)} ${moduleOf(to)}`));
  const listed = [...MODULES].flatMap(([own, { parts }]) => [...parts.keys()].map((other) => `${own} ${other}`));
  expect(listed.filter((edge) => !edges.has(edge))).toEqual([]);
});

test.each([
  ["a module to its right", "src/values/decimal.ts", 'import { a } from "../ledger/schema.ts";'],
  ["the checker from the publisher", "publish/damage.ts", 'import { a } from "../src/verify/body.ts";'],
  ["tests", "bin/main.ts", 'import { a } from "../test/publish/world.ts";'],
  ["a renderer from the shim", "src/shim/context.ts", 'import { a } from "../resources/process/build.ts";'],
  [
    "a value where only types are allowed",
    "src/resources/process/build.ts",
    'import { a } from "../../chain/chain.ts";',
  ],
  ["a schema from a row", "src/resources/process/route.ts", 'import { a } from "./contract.ts";'],
  ["a row's module in a call", "src/http/route.ts", 'const a = await import("../chain/chain.ts");'],
])("an import of %s is found", (_, file, text) => {
  expect(importsIn(file, text).map(fault)).toEqual([expect.stringContaining(file)]);
});

function fault({ from, to, isType }: Import): string | undefined {
  const [own, other] = [moduleOf(from), moduleOf(to)];
  const said = `${from} imports ${to}`;
  if (own === undefined || other === undefined) return said;
  if (ROW_FILE.test(from) && own === "resources" && other === "resources") return ROW_FILE.test(to) ? undefined : said;
  if (ROW_FILE.test(from)) return ["values", "http"].includes(other) ? undefined : said;
  const allowed = MODULES.get(own);
  if (own === other || (allowed?.isEverything === true && other !== "test")) return undefined;
  const part = allowed?.parts.get(other);
  if (part === "all" || (part === "types" && isType) || (part === "rows" && ROW_FILE.test(to))) return undefined;
  return said;
}

/** Returns the relative imports and exports of a file. */
function importsIn(from: string, text: string): Import[] {
  const found = text.matchAll(
    /(?:^|\n)(?:import|export)(\s+type)?\s[^;'"]*?from\s+"(\.[^"]+)"|import\("(\.[^"]+)"\)|(?:^|\n)import\s+"(\.[^"]+)"/g,
  );
  return [...found].map(([, type, named, called, plain]) => ({
    from,
    to: normalize(join(dirname(from), named ?? called ?? plain ?? "")),
    isType: type !== undefined,
  }));
}

/** `src/NAME/…` belongs to NAME, any other path to its first folder. */
function moduleOf(path: string): string | undefined {
  const [first = "", second = ""] = path.split("/");
  const name = first === "src" ? second : first;
  return MODULES.has(name) || name === "test" ? name : undefined;
}

/** Parses the rows `| \`src/NAME\` | purpose | NAME, rows of NAME, types of NAME |`. */
function modulesOf(page: string): ReadonlyMap<string, Allowed> {
  const rows = page.matchAll(/^\| `(?:src\/)?([a-z-]+)` \| .* \| ([^|]*) \|$/gm);
  return new Map([...rows].map(([, name = "", list = ""]) => [name, allowedOf(list.trim())] as const));
}

function allowedOf(list: string): Allowed {
  const names = list.split(", ").filter((one) => one !== "everything" && one !== "nothing");
  const parts = names.map((one) => {
    const [, part, name = ""] = /^(?:(rows|types) of )?([a-z-]+)$/.exec(one) ?? [];
    return [name, (part ?? "all") as Part] as const;
  });
  return { isEverything: list.startsWith("everything"), parts: new Map(parts) };
}
