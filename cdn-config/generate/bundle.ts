/** A front's script as one file: fronts run no modules, or none beside each other. */
import { readFileSync } from "node:fs";

/** Of files beside this one, in an order in which each stands after those it imports. */
export function bundle(head: string, files: readonly string[]): string {
  return [head, ...files.map((file) => plain(readFileSync(new URL(file, import.meta.url), "utf8")))].join("\n");
}

/** As JavaScript that the next file may follow. */
function plain(module: string): string {
  return module.replace(/^import [^;]*;\n/gm, "").replace(/^export (?!default)/gm, "");
}

/** The file of a table: one constant after the other. */
export function tableFile(table: Readonly<Record<string, unknown>>): string {
  const constants = Object.entries(table).map(
    ([name, value]) =>
      `export const ${name} = ${value instanceof Source ? value.text : JSON.stringify(value, null, 2)};`,
  );
  return `// Generated from the table of routes.\n${constants.join("\n")}\n`;
}

/** What JSON cannot write. */
export class Source {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
