import { build } from "esbuild";

/** A Worker as one script, as it is deployed; `entry` is a module's text in this folder. */
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
