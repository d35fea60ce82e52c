/** Bundles a TypeScript file for a test that starts it many times, because loading all source files takes 0.7 s. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SQLITE = fileURLToPath(import.meta.resolve("better-sqlite3"));

export async function bundleScript(source: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    alias: { "better-sqlite3": SQLITE },
    external: [SQLITE],
    logLevel: "warning",
  });
}
