#!/usr/bin/env node
// Plain JavaScript on purpose: it must run on every Node to say that a Node is too old. better-sqlite3 13 would end
// an old one without a word.
const OLDEST = "22.12";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split(".").map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  console.error(`noonmark: node_too_old: Noonmark needs Node ${OLDEST} or newer, this is ${process.versions.node}`);
  console.error("  In a checkout, npm scripts and npx run on its own Node 24; elsewhere install a newer Node.");
  process.exitCode = 2;
} else {
  const { existsSync } = await import("node:fs");
  // A checkout without development packages (`npm ci --omit=dev`) is not built and runs from its sources.
  const isBuilt = existsSync(new URL("../dist/bin/main.js", import.meta.url));
  if (isBuilt || process.features.typescript) {
    await keepCompiledCode();
    const { main } = await import(isBuilt ? "../dist/bin/main.js" : "./main.ts");
    await main(process.argv);
  } else {
    console.error("noonmark: not_built: there is no dist/ here, and this Node does not run TypeScript");
    console.error("  Run npm ci and npm run build, or take Node 22.18 or newer.");
    process.exitCode = 2;
  }
}

/**
 * Code once compiled is kept for the next start (docs/operating.md, "Shells, manual, parts"): in the user's own cache,
 * as what lies there is run, and the system's directory of temporary files is everybody's. Where nothing can be kept
 * the start is only slower. NODE_COMPILE_CACHE names another directory, NODE_DISABLE_COMPILE_CACHE=1 turns it off.
 */
async function keepCompiledCode() {
  const { enableCompileCache } = await import("node:module");
  const { homedir } = await import("node:os");
  const { isAbsolute, join } = await import("node:path");
  try {
    const places = [process.env.XDG_CACHE_HOME ?? "", join(homedir(), ".cache")];
    const place = places.find((path) => isAbsolute(path));
    if (place !== undefined) enableCompileCache?.(join(place, "noonmark"));
  } catch {
    // A user without a home.
  }
}
