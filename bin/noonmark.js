#!/usr/bin/env node
// Plain JavaScript on purpose: it must run on every Node to say that a Node is too old. better-sqlite3 13 would end
// an old one without a word.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 22) {
  console.error(`noonmark: node_too_old: Noonmark needs Node 22 or newer, this is ${process.versions.node}`);
  console.error("  In a checkout, npm scripts and npx run on its own Node 24; elsewhere install a newer Node.");
  process.exitCode = 2;
} else {
  const { main } = await import("../dist/bin/main.js");
  await main(process.argv);
}
