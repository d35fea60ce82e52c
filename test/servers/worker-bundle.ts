import { build } from "esbuild";

const ROOT = new URL("../../", import.meta.url).pathname;

/** The Worker as one script, as it is deployed; `entry` (a module's text, in this folder) may stand around it. */
export async function workerBundle(entry = 'export { default } from "../../src/shim/worker.ts";'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: `${ROOT}test/servers`, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    minify: true,
  });
  return outputFiles[0]?.text ?? "";
}
