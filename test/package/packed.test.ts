/**
 * The packed package as a user installs it: its pinned dependencies, and the client's types and code. The lock file has
 * the hash of each package.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { sharedFolder } from "../support/test-folder.ts";
import { packInto } from "./packed-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

const CONSUMER = `
import { type Log, openLog } from "noonmark/log";
import { type ActivityEvent, amount, createClient, NoonmarkError, type Process, units } from "noonmark/client";

const api = createClient({ baseUrl: "https://api.example", fetch, timeout: 1_000 });

export async function newest(key: string): Promise<string[]> {
  const log: Log = await openLog({ baseUrl: "https://api.example", key, number: 1, retries: 0 });
  const texts: string[] = [];
  for await (const { index, text } of log.entries({ from: log.checkpoint.size - 1 })) texts.push(String(index) + text);
  return texts;
}

export async function main(signal: AbortSignal): Promise<string> {
  const { body, etag, headers, notModified } = await api.process({ signal });
  const process: Process = body;
  if (process.builder.status === "unavailable") return process.builder.reason;
  const blocks: bigint = units(process.builder.projected.blockHeight);
  const events: ActivityEvent[] = [];
  for await (const event of api.eachActivity({ category: "protocol" })) events.push(event);
  for await (const { body } of api.watch("settlements", { queue: true }, { every: 1_000, signal })) {
    if (body.status === "available") return amount(body.summary.workAdded, body.economy.decimals);
  }
  return [blocks, etag, headers.get("etag"), notModified, NoonmarkError.name].join();
}
`;

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
}
interface Lock {
  readonly packages: Readonly<Record<string, Entry>>;
}
const LOCK = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
const LOCKED = Object.entries(LOCK.packages).filter(([path]) => path !== "");

const folder = sharedFolder();
let tarball: string;
let packed: (path: string) => string;
beforeAll(() => {
  tarball = packInto(folder);
  packed = (path) =>
    execFileSync("tar", ["--extract", "--to-stdout", "--file", tarball, `package/${path}`], { encoding: "utf8" });
});

test("the package pins version and integrity of each direct and indirect dependency, and of no other package", () => {
  const { packages } = JSON.parse(packed("npm-shrinkwrap.json")) as Lock;
  const fixed = Object.entries(packages).filter(([path]) => path !== "");
  expect(fixed).toEqual(LOCKED.filter(([, { dev }]) => dev !== true));
  expect(fixed.map(([path]) => path)).toContain("node_modules/better-sqlite3");
  expect(fixed.filter(([, { version, integrity }]) => !version || !integrity?.startsWith("sha512-"))).toEqual([]);
  expect(packages[""]).not.toHaveProperty("devDependencies");
});

test("an installation finds neither scripts nor development packages to warn about", () => {
  const manifest = JSON.parse(packed("package.json")) as object;
  expect(manifest).toMatchObject({ name: "noonmark", bin: { noonmark: "bin/noonmark.js" } });
  expect(Object.keys(manifest)).not.toContain("scripts");
  expect(Object.keys(manifest)).not.toContain("devDependencies");
});

test("the package has no source map, and the OpenAPI document once", () => {
  const files = execFileSync("tar", ["--list", "--file", tarball], { encoding: "utf8" }).split("\n");
  expect(files.filter((path) => path.endsWith(".map"))).toEqual([]);
  expect(files.filter((path) => path.endsWith("/openapi.json"))).toEqual(["package/dist/site/openapi.json"]);
});

test("each bundled package has the text of its licence", () => {
  expect(packed("dist/licenses.txt")).toContain("Apache License");
  expect(packed("dist/licenses.txt")).not.toMatch(/no text/);
});

test("npm packs with the packed package.json and the shrinkwrap, and restores the checkout", () => {
  expect(existsSync(join(ROOT, "npm-shrinkwrap.json"))).toBe(false);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(scripts.prepack).toMatch(/ && node scripts\/prepare\.mjs && node scripts\/packed\.mjs write$/);
  expect(scripts.postpack).toBe("node scripts/packed.mjs restore");
});

test("every entry of the lock has an integrity, also builds for other systems", () => {
  expect(LOCKED.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
});

let consumer: string;
beforeAll(() => {
  consumer = join(folder, "consumer");
  const installed = join(consumer, "node_modules/noonmark");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  // Nothing else is installed: the client's declarations need neither zod nor Node's types.
  writeFileSync(join(consumer, "package.json"), '{"type":"module"}');
  writeFileSync(join(consumer, "main.ts"), CONSUMER);
});

test.each([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])("a strict project of module %s, resolved as %s, compiles without skipLibCheck", (module, moduleResolution) => {
  const project = join(consumer, `tsconfig.${moduleResolution}.json`);
  const compilerOptions = {
    module,
    moduleResolution,
    target: "es2022",
    lib: ["es2022", "dom"],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  onTestFinished(() => rmSync(project));
  expect(tsc(["-p", project, "--listFiles"])).toContain("noonmark/dist/client/create-client.d.ts");
});

test("the installed client runs, and only it, the log and package.json can be imported", () => {
  const script = `
    const { createClient, units, amount, NoonmarkError } = await import("noonmark/client");
    const api = createClient({ baseUrl: "http://h/x", fetch: async (url) => Response.json({ schemaVersion: 1, url }) });
    const { openLog } = await import("noonmark/log");
    const log = await openLog({ baseUrl: "https://h", key: "k", number: 1 }).catch(({ code }) => code);
    const { version } = (await import("noonmark/package.json", { with: { type: "json" } })).default;
    const refused = await import("noonmark/dist/client/ask.js").catch(({ code }) => code);
    const id = await api.observations("..").catch((error) => error instanceof NoonmarkError && error.code);
    console.log(JSON.stringify([(await api.modules()).body.url, String(units("7")), amount("70", 2), typeof version, refused, id, log]));
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: consumer,
    encoding: "utf8",
  });
  expect(JSON.parse(output)).toEqual([
    "http://h/x/v1/public/modules",
    "7",
    "0.7",
    "string",
    "ERR_PACKAGE_PATH_NOT_EXPORTED",
    "invalid_installation_id",
    "log_key_invalid",
  ]);
});

/** Returns tsc's output, or throws it if there are errors. */
function tsc(given: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [TSC, ...given], { cwd: consumer, encoding: "utf8" });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}
