/** Part of `npm run build`: writes the page's files to dist/site/, and nothing else is left there. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildSite } from "./build.ts";

const target = join(import.meta.dirname, "../dist/site");
await rm(target, { recursive: true, force: true });
for (const { path, bytes } of await buildSite()) {
  const file = join(target, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}
