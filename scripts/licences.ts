/** dist/licenses.txt: each package whose code is in the files of dist/, with its version and its licence. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { packageFile } from "../src/files/package-file.ts";

const HEAD = `Noonmark's own licence is in LICENSE. Its files contain code of the following packages.
`;

/** Throws if a package has no licence text, and no other package of its organisation has the same licence. */
export function writeLicences(bundles: readonly Metafile[]): void {
  const names = new Set(bundles.flatMap(({ outputs }) => Object.values(outputs).flatMap(packagesIn)));
  const parts = [...names].toSorted().map(partOf);
  writeFileSync(packageFile("dist/licenses.txt"), [HEAD, ...parts.map((part) => entryOf(part, parts))].join("\n"));
}

/** The folders below node_modules whose code is in a file. */
function packagesIn({ inputs }: Metafile["outputs"][string]): string[] {
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return used.flatMap(([path]) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}

interface Part {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly text: string | undefined;
}

function partOf(folder: string): Part {
  const root = packageFile(folder);
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Omit<Part, "text">;
  const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
  return { ...manifest, text: file === undefined ? undefined : readFileSync(join(root, file), "utf8").trim() };
}

function entryOf({ name, version, license, text }: Part, parts: readonly Part[]): string {
  return `${"-".repeat(80)}\n${name} ${version}: ${license ?? "see the text"}\n\n${text ?? sharedText()}\n`;

  /** Some packages of a monorepo come without the file. */
  function sharedText(): string {
    const organisation = /^@[^/]+\//.exec(name)?.[0];
    const same = parts.find(
      (other) =>
        other.text !== undefined && other.license === license && /^@[^/]+\//.exec(other.name)?.[0] === organisation,
    );
    if (organisation === undefined || license === undefined || same === undefined)
      throw new Error(`${name} ${version} has no licence text`);
    return `The text is that of ${same.name} in this file.`;
  }
}
