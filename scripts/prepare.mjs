/**
 * Builds the project after `npm install` in a checkout (prepare), and before `npm pack` (prepack). Skips the build if
 * the development packages are missing (`npm ci --omit=dev`); dist/ must then be provided separately.
 */
import { execSync } from "node:child_process";
import { createRequire } from "node:module";

const { resolve } = createRequire(import.meta.url);

function isInstalled(name) {
  try {
    resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

if (isInstalled("typescript") && isInstalled("esbuild")) execSync("npm run build", { stdio: "inherit" });
else console.error("noonmark: not built: the development packages are not installed. Run npm ci, then npm run build.");
