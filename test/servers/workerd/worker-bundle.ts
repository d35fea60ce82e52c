import { build } from "esbuild";

/** Bundles a Worker into one script, as for deployment. `entry` is the text of a module in this folder. */
export async function workerBundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    minify: true,
  });
  return outputFiles[0]?.text ?? "";
}
