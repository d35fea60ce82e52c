/**
 * Runs after an npm install in a checkout, and before a pack. It builds if the compiler is there. An install without
 * development packages (`npm ci --omit=dev`) has none, and does not fail: `dist/` then comes from elsewhere.
 */
import { execSync } from "node:child_process";
import { createRequire } from "node:module";

const { resolve } = createRequire(import.meta.url);

function isThere(name) {
  try {
    resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

if (isThere("typescript") && isThere("esbuild")) execSync("npm run build", { stdio: "inherit" });
else console.error("noonmark: not built, the development packages are not installed (npm ci, then npm run build).");
