/** The packed client as a user installs it: its types in both resolution modes, and at run time. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, expect, onTestFinished, test } from "vitest";

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

let consumer: string;
beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), "noonmark-consumer-"));
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", consumer], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const installed = join(consumer, "node_modules/noonmark");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(consumer, filename), "-C", installed, "--strip-components=1"]);
  // Nothing else is installed: the client's declarations need neither zod nor Node's types.
  writeFileSync(join(consumer, "package.json"), '{"type":"module"}');
  writeFileSync(join(consumer, "main.ts"), CONSUMER);
  return () => rmSync(consumer, { recursive: true });
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

const CLIENT = new URL("../../src/client/create-client.ts", import.meta.url);
const LOG = new URL("../../src/client/log.ts", import.meta.url);

test.each([
  ["noonmark/client", 3_300, CLIENT, ["src/values/backoff.ts"]],
  ["noonmark/log", 5_700, LOG, ["base64", "printable", "unknown", "backoff"].map((name) => `src/values/${name}.ts`)],
])("%s is at most %i bytes minified and compressed, and has no dependency", async (_, limit, entry, values) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry.pathname],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
  });
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(limit);
  const folders = entry === LOG ? /src\/(?:client|log)\// : /src\/client\//;
  expect(Object.keys(metafile.inputs).filter((path) => !folders.test(path))).toEqual(values);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});
