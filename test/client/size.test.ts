import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

const ENTRY = new URL("../../src/client/create-client.ts", import.meta.url).pathname;

test("the client is at most 3,200 bytes, minified and compressed, and nothing but itself", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
  });
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(3_200);
  expect(Object.keys(metafile.inputs).filter((path) => !path.includes("src/client/"))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});
