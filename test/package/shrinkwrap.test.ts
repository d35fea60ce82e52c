/**
 * The package pins the versions of its dependencies, and the lock file the hashes of all that this machine installs.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { sharedFolder } from "../support/test-folder.ts";
import { packInto } from "./packed-files.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
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
  expect(scripts.prepack).toMatch(/ && node \.ci\/prepare\.mjs && node \.ci\/packed\.mjs write$/);
  expect(scripts.postpack).toBe("node .ci/packed.mjs restore");
});

test("lock entries without integrity are only optional builds of development tools for other systems", () => {
  const without = LOCKED.filter(([, { integrity }]) => integrity === undefined);
  const isForThisSystem = ({ os, cpu, libc }: Entry) =>
    (os === undefined || os.includes(process.platform)) &&
    (cpu === undefined || cpu.includes(process.arch)) &&
    (libc === undefined || libc.includes(LIBC));
  const wrong = without.filter(
    ([path, entry]) =>
      entry.dev !== true ||
      entry.optional !== true ||
      entry.os === undefined ||
      isForThisSystem(entry) ||
      existsSync(join(ROOT, path)),
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});

/** The distinction that npm makes. */
const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
const LIBC = header.glibcVersionRuntime === undefined ? "musl" : "glibc";
