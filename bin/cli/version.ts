import { readFileSync } from "node:fs";

/** The version in package.json, found from the built file and from the source alike. */
export function packageVersion(): string {
  for (const up of ["../../package.json", "../../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), "utf8"));
      if (name === "noonmark") return version;
    } catch {
      // The other depth is the right one.
    }
  }
  return "unknown";
}
