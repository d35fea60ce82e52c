/** Part of `npm run build`: writes the files of the page and of the reference to dist/site/, and nothing else is left there. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildSite } from "./build.ts";
import { buildReference } from "./reference/build.ts";

const target = join(import.meta.dirname, "../dist/site");
await rm(target, { recursive: true, force: true });
const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8"));
for (const { path, bytes } of [...(await buildSite()), ...(await buildReference(version))]) {
  const file = join(target, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}
