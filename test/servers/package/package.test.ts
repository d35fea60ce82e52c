/**
 * `npm pack`, installed into an empty folder on Node 22: the README's commands work. Every other test runs on Node 24,
 * and the test of the image installs the package there.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anvilBinary, NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { FACT_KINDS } from "../../../src/ledger/schema.ts";
import { fenced } from "../../docs/markdown.ts";
import { packInto } from "../../package/packed-files.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/processes.ts";
import {
  type Ended,
  environmentWith,
  type Installed,
  installPackage,
  installTools,
  shell,
  staying,
} from "./installed-package.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const linesOf = (section: string) =>
  fenced(README.split(`\n## ${section}\n`)[1]?.split("\n## ")[0] ?? "", "sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("noonmark "));
const COMMANDS = linesOf("Commands");

let root: string;
let tarball: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "noonmark-package-"));
  tarball = packInto(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const readmeLine = (command: string) => {
  const found = COMMANDS.find((line) => line.startsWith(`noonmark ${command}`));
  if (found === undefined) throw new Error(`README has no line for ${command}`);
  return found;
};

let here: Installed;
const run = (line: string): Promise<Ended> => shell(here, line);
beforeAll(async () => {
  const environment = await installTools(join(root, "tools-22"), "node@22", "npm@10");
  const installed = await installPackage(join(root, "on-22"), tarball, environment);
  here = { ...installed, environment: { ...installed.environment, NOONMARK_PORT: String(await freePort()) } };
});

test("the README's commands work, from init to verify", async () => {
  expect((await run("node --version; npm --version")).output).toMatch(/^v22\.\d+\.\d+\n10\./);
  const { version } = JSON.parse(readFileSync(join(here.folder, "node_modules/noonmark/package.json"), "utf8"));
  expect(await run("noonmark --version")).toEqual({ code: 0, output: `${version}\n` });
  expect(await run(readmeLine("init"))).toMatchObject({ code: 0 });
  const examples = FACT_KINDS.map((kind) => `noonmark ingest --example ${kind}`).join(" && ");
  expect(await run(`(${examples}) > facts.ndjson`)).toEqual({ code: 0, output: "" });
  expect(await run(readmeLine("ingest"))).toEqual({
    code: 0,
    output: expect.stringMatching(/^9 accepted, 0 duplicate, 0 rejected; ledger /),
  });
  // Round 0 of the examples began at the start of 2026.
  writeFileSync(join(here.folder, "noonmark.json"), '{ "installationId": "wheel-1", "genesisTimestamp": 1767225600 }');
  const published = await run(readmeLine("publish --once"));
  expect(published).toMatchObject({
    code: 0,
    output: expect.stringMatching(/ created, 0 updated, 0 unchanged, 0 failed\n$/),
  });
  expect(await run("noonmark render /v4/public/process")).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^HTTP\/1\.1 200 OK\r?\n/),
  });
  const shim = staying(here, readmeLine("serve"));
  try {
    await until("the shim responds", async () => shim.output().includes("Serving "));
    const url = `http://127.0.0.1:${here.environment.NOONMARK_PORT}`;
    const verify = readmeLine("verify").replace("https://noonmark.example", `${url} --qps 1000`);
    expect(await run(verify)).toMatchObject({ code: 0, output: expect.stringMatching(/ checks, 0 findings, /) });
    for (const path of ["/", "/docs", "/openapi.json"]) expect((await fetch(url + path)).status, path).toBe(200);
  } finally {
    await shim.end();
  }
  expect(await run("noonmark status")).toMatchObject({ code: 0, output: expect.stringMatching(/^problems +none$/m) });
  expect(await run("noonmark fsck")).toMatchObject({
    code: 0,
    output: expect.stringMatching(/, 0 findings\n$/),
  });
});

test("the README's demo is created, and the two commands that it prints publish and serve it", async () => {
  const [made = "", ...after] = linesOf("Start").map((line) => line.replace(/\s+#.*$/, ""));
  const { code, output } = await run(made);
  expect(output.match(/^ {2}noonmark .*$/gm)).toEqual(after.map((line) => `  ${line}`));
  expect([code, output]).toEqual([0, expect.stringMatching(/ simulated facts of 30 days in facts\.ndjson/)]);
  expect(output).toContain("It has no chain, because anvil is not installed");
  const [publish = "", serve = ""] = [...output.matchAll(/^  noonmark .*$/gm)].map(([line]) => line.trim());
  expect(await run(publish)).toMatchObject({ code: 0, output: expect.stringMatching(/ 0 failed\n$/) });
  const shim = staying(here, serve);
  try {
    await until("the shim responds", async () => shim.output().includes("Serving "));
    const url = `http://127.0.0.1:${here.environment.NOONMARK_PORT}`;
    const asked = ["/v4/public/process", "/v2/public/stats?range=30d", "/v1/public/installations/wheel-1/observations"];
    for (const path of asked) expect((await fetch(url + path)).status, path).toBe(200);
  } finally {
    await shim.end();
  }
});

test.skipIf(NO_ANVIL !== undefined)(
  "demo has a sample chain if anvil is on PATH, with only the package installed",
  async () => {
    const { output } = await run(`PATH="$PATH:${dirname(anvilBinary() ?? "")}" noonmark demo with-chain`);
    expect(output).toMatch(/^A sample chain with 2\d\d settled batches is in chain\.json and deployment\.json\.$/m);
  },
);

test("the packed Worker runs", async () => {
  const [settings = ""] = globSync("node_modules/noonmark/cdn-config/cloudflare/wrangler.jsonc", { cwd: here.folder });
  const { main, compatibility_date } = JSON.parse(
    readFileSync(join(here.folder, settings), "utf8").replace(/^\/\/.*$/m, ""),
  );
  const worker = new Miniflare({
    modules: true,
    script: readFileSync(join(here.folder, dirname(settings), main), "utf8"),
    compatibilityDate: compatibility_date,
    r2Buckets: ["STORE"],
    bindings: { PREFIX: "public" },
  });
  try {
    const response = await worker.dispatchFetch("http://worker/v4/public/process");
    expect([response.status, await response.json()]).toEqual([503, { error: "not_published" }]);
  } finally {
    await worker.dispose();
  }
});

test("the image's installation runs", async () => {
  const here = { folder: root, environment: environmentWith(dirname(process.execPath)) };
  const dockerfile = readFileSync(new URL("../../../packaging/docker/Dockerfile", import.meta.url), "utf8");
  const [, line = ""] = /^RUN (npm install .*)$/m.exec(dockerfile) ?? [];
  const place = join(root, "opt-noonmark");
  const run = line.replace("/opt/noonmark", place).replace("/tmp/noonmark-*.tgz", tarball);
  expect(await shell(here, run)).toMatchObject({ code: 0 });
  expect(await shell(here, `${place}/bin/noonmark --version`)).toMatchObject({ code: 0 });
});
