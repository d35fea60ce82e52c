/** `npm run generate`: writes every derived file that is not up to date, and names it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeWorker } from "../cdn-config/write-worker.ts";
import { STAGES } from "./all.ts";

const ROOT = join(import.meta.dirname, "..");

// It is not tracked, and the files of the fronts are written beside it.
await writeWorker();
for (const stage of STAGES) {
  for (const [path, text] of Object.entries(await stage())) {
    const file = join(ROOT, path);
    if (current(file) === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(path);
  }
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
