/** Writes the files of the page and of the reference to dist/site/. Part of `npm run build`. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packageFile, packageVersion } from "../src/files/package-file.ts";
import { buildSite } from "./build.ts";
import { buildReference } from "./reference/build.ts";

export async function writeSite(): Promise<void> {
  for (const { path, bytes } of [...(await buildSite()), ...(await buildReference(packageVersion()))]) {
    const file = join(packageFile("dist/site"), path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}
