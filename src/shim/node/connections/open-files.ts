import { readFileSync } from "node:fs";

const LINE = /^Max open files +(\d+)/m;

/** How many files this process may open; undefined if that is unknown or unlimited. */
export function openFilesLimit(limits = "/proc/self/limits"): number | undefined {
  try {
    const found = LINE.exec(readFileSync(limits, "utf8"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    // Not Linux.
    return undefined;
  }
}
