#!/usr/bin/env node
// Plain JavaScript, so that it runs on every Node and can report that a Node is too old. better-sqlite3 13 would end an
// old one silently.
const OLDEST = "22.12";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split(".").map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  console.error(`noonmark: node_too_old: Noonmark needs Node ${OLDEST} or newer, this is ${process.versions.node}`);
  console.error("  In a checkout, npm scripts and npx run on its own Node 24; elsewhere install a newer Node.");
  process.exitCode = 2;
} else {
  const { existsSync } = await import("node:fs");
  const built = new URL("../dist/bin/main.js", import.meta.url);
  if (existsSync(built)) {
    const { main } = await import(built.href);
    await main(process.argv);
  } else {
    console.error("noonmark: not_built: there is no dist/ here");
    console.error("  In a checkout: npm ci, then npm run build.");
    process.exitCode = 2;
  }
}
