/** `npm run generate` writes every derived file that is out of date, and prints its path. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeWorker } from "../cdn-config/write-worker.ts";
import { STAGES } from "./generated-files.ts";

const ROOT = join(import.meta.dirname, "..");

// worker.js is not tracked, and the front files are written next to it.
await writeWorker();
for (const stage of STAGES) {
  for (const [path, text] of Object.entries(await stage())) {
    const file = join(ROOT, path);
    if (currentText(file) === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(path);
  }
}

function currentText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
