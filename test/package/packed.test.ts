/**
 * The packed package as a user installs it: its manifest, and the client's types and code. The lock file has the hash of
 * each package.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const log: Log = await openLog({ baseUrl: "https://api.example", key, retries: 0 });
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
  readonly integrity?: string;
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

test("the packed manifest is the repository's, and names exact versions", () => {
  const manifest = readFileSync(join(ROOT, "package.json"), "utf8");
  expect(packed("package.json")).toBe(manifest);
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(manifest) as Record<
    string,
    Record<string, string>
  >;
  const versions = Object.values<string>({ ...dependencies, ...optionalDependencies, ...devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("the package has no source map, and the OpenAPI document once", () => {
  const files = execFileSync("tar", ["--list", "--file", tarball], { encoding: "utf8" }).split("\n");
  expect(files.filter((path) => path.endsWith(".map"))).toEqual([]);
  expect(files.filter((path) => path.endsWith("/openapi.json"))).toEqual(["package/dist/site/openapi.json"]);
});

test("every entry of the lock has an integrity, also builds for other systems, and names no registry", () => {
  expect(LOCKED.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
  expect(readFileSync(join(ROOT, "package-lock.json"), "utf8")).not.toMatch(/"resolved"|registry/);
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
  expect(tsc(["-p", project, "--listFiles"])).toContain("noonmark/dist/src/client/create-client.d.ts");
});

test("the installed client runs, and only it, the log and package.json can be imported", () => {
  const script = `
    const { createClient, units, amount, NoonmarkError } = await import("noonmark/client");
    const api = createClient({ baseUrl: "http://h/x", fetch: async (url) => Response.json({ schemaVersion: 1, url }) });
    const { openLog } = await import("noonmark/log");
    const log = await openLog({ baseUrl: "https://h", key: "k", number: 1 }).catch(({ code }) => code);
    const { version } = (await import("noonmark/package.json", { with: { type: "json" } })).default;
    const refused = await import("noonmark/dist/src/client/ask.js").catch(({ code }) => code);
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
