/** dist/licenses.txt: each package whose code is in the files of dist/, with its version and its licence. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { packageFile } from "../src/files/package-file.ts";

const HEAD = `Noonmark's own licence is in LICENSE. Its files contain code of the following packages.
`;

/** Throws if a package has no licence text and names no licence: then nobody may pass it on. */
export function writeLicences(bundles: readonly Metafile[]): void {
  const names = new Set(bundles.flatMap(({ outputs }) => Object.values(outputs).flatMap(packagesIn)));
  writeFileSync(packageFile("dist/licenses.txt"), [HEAD, ...[...names].toSorted().map(licenceOf)].join("\n"));
}

/** The folders below node_modules whose code is in a file. */
function packagesIn({ inputs }: Metafile["outputs"][string]): string[] {
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return used.flatMap(([path]) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}

function licenceOf(folder: string): string {
  const root = packageFile(folder);
  const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined && license === undefined) throw new Error(`${name} ${version} names no licence`);
  const text = file === undefined ? "(the package has no text of it)" : readFileSync(join(root, file), "utf8").trim();
  return `${"-".repeat(80)}\n${name} ${version}: ${license ?? "see the text"}\n\n${text}\n`;
}
