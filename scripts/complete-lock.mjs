// Adds optional platform packages that npm omitted to package-lock.json. Some registry mirrors lack the builds for
// other systems; `npm ci` then rejects the lock file that npm wrote. Run after each `npm install`: node
// scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from "node:fs";

const OS = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "aix", "win32"];
const CPU = {
  arm64: "arm64",
  x64: "x64",
  amd64: "x64",
  ia32: "ia32",
  arm: "arm",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
};

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (key in lock.packages || !/^\d/.test(version)) continue;
    const words = name.split(/[-/]/);
    const os = words.filter((word) => OS.includes(word));
    const cpu = words.map((word) => CPU[word]).filter(Boolean);
    if (os.length === 0) throw new Error(`${name} does not name an operating system; add its lock entry by hand`);
    lock.packages[key] = {
      version,
      ...(cpu.length > 0 ? { cpu } : {}),
      ...(parent.dev ? { dev: true } : {}),
      ...(words.some((word) => word.includes("musl")) ? { libc: ["musl"] } : {}),
      optional: true,
      os,
    };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
