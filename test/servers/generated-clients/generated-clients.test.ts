/** Common client generators accept docs/openapi.json, and their output compiles with `--strict`. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../support/processes.ts";

const GENERATORS = {
  "openapi-typescript": ["openapi-typescript/bin/cli.js", "openapi.json", "-o", "openapi-typescript/client.ts"],
  "hey-api": ["@hey-api/openapi-ts/bin/run.js", "-i", "./openapi.json", "-o", "hey-api"],
  orval: [
    "orval/dist/bin/orval.mjs",
    "--client",
    "fetch",
    "--input",
    "./openapi.json",
    "--output",
    "./orval/client.ts",
  ],
} as const;

const OPTIONS =
  "--noEmit --strict --skipLibCheck --target es2022 --lib es2022,dom,dom.iterable --module esnext --moduleResolution bundler";
const COMPILE = ["node_modules/typescript/bin/tsc", ...OPTIONS.split(" ")];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "noonmark-generated-"));
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(import.meta.dirname, file), join(folder, file));
  cpSync(join(import.meta.dirname, "../../../docs/openapi.json"), join(folder, "openapi.json"));
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(Object.entries(GENERATORS))("%s writes a client that compiles", async (_, generator) => {
  const [program, ...args] = generator;
  await run("node", [join("node_modules", program), ...args], { cwd: folder });
  const entry = args.at(-1)?.endsWith(".ts") ? (args.at(-1) as string) : `${args.at(-1)}/index.ts`;
  expect(await run("node", [...COMPILE, entry], { cwd: folder })).toBe("");
});
