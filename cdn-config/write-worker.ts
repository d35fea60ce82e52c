/** Bundles the shim into one script for Cloudflare, next to its checked-in settings. Part of `npm run build`. */
import { build, type Metafile } from "esbuild";
import { packageFile } from "../src/files/package-file.ts";

/** Returns esbuild's metafile. */
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
    banner: { js: "// The shim as a Worker. docs/cdn.md says how to use it." },
  });
  return metafile;
}
