/** Part of `npm run build`: the shim as one script for Cloudflare, beside the checked-in settings that name it. */
import { build, type Metafile } from "esbuild";
import { packageFile } from "../src/files/package-file.ts";

/** Gives what esbuild says of the script. */
export async function writeWorker(): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [packageFile("src/shim/worker/worker.ts")],
    absWorkingDir: packageFile("."),
    outfile: "cdn-config/cloudflare/worker.js",
    bundle: true,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "warning",
    banner: { js: "// Written by `noonmark cdn cloudflare`. docs/cdn-cloudflare.md says how to use it." },
  });
  return metafile;
}
