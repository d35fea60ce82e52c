/** The client and the log reader are small, and have no dependency. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/resources/table.ts";

const CLIENT = new URL("../../src/client/create-client.ts", import.meta.url);
const LOG = new URL("../../src/client/log.ts", import.meta.url);

test.each([
  // Each route takes about 25 bytes.
  ["noonmark/client", 3_250 + 25 * ROUTES.length, CLIENT, ["src/values/backoff.ts"]],
  [
    "noonmark/log",
    5_700,
    LOG,
    ["base64", "printable", "log", "unknown", "backoff"].map((name) => `src/values/${name}.ts`),
  ],
])("%s is at most %i bytes minified and compressed, and has no dependency", async (_, limit, entry, values) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry.pathname],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
  });
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(limit);
  const folders = entry === LOG ? /src\/(?:client|log)\// : /src\/client\//;
  expect(Object.keys(metafile.inputs).filter((path) => !folders.test(path))).toEqual(values);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});
