/**
 * Part of `npm run build`: the shim as one script for Cloudflare, without a module beside it. It lies beside its generator,
 * which hands it out, and beside the checked-in settings that name it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const { outputFiles } = await build({
  entryPoints: [join(root, "src/shim/worker/worker.ts")],
  absWorkingDir: root,
  bundle: true,
  write: false,
  format: "esm",
  platform: "neutral",
  target: "es2024",
  minifyWhitespace: true,
  minifySyntax: true,
  banner: { js: "// Written by `noonmark cdn cloudflare`. docs/cdn-cloudflare.md says how to use it." },
});
const [script] = outputFiles;
if (script === undefined) throw new Error("esbuild gave no script");
for (const folder of ["cdn-config/generate/cloudflare", "cdn-config/cloudflare"]) {
  writeFileSync(join(root, folder, "worker.js"), script.contents);
}
