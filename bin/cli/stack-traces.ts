/** Stack traces of the built program name the source files: its source maps are read when a trace is first asked for. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** From here on. Node's own support for source maps would read every map at each start. */
export function nameSourceFiles(): void {
  const maps = new Map<string, SourceMap | undefined>();
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => `\n    at ${sourceOf(site, maps)}`);
    return `${Error.prototype.toString.call(error)}${lines.join("")}`;
  };
}

/** A line of a trace, such as `read (file:///…/dist/chain-ABC.js:1:2)`, with the place in the source file. */
function sourceOf(site: NodeJS.CallSite, maps: Map<string, SourceMap | undefined>): string {
  const [url, row, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  const line = site.toString();
  if (!url?.startsWith("file:") || row === null || column === null) return line;
  const path = fileURLToPath(url);
  if (!maps.has(path)) maps.set(path, mapOf(path));
  const origin = maps.get(path)?.findOrigin(row, column);
  if (origin === undefined || !("fileName" in origin)) return line;
  const source = `${resolve(dirname(path), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  return line.replace(`${url}:${row}:${column}`, () => source);
}

/** Undefined if the file has no map: it is a source file itself. */
function mapOf(path: string): SourceMap | undefined {
  const map = `${path}.map`;
  return existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, "utf8"))) : undefined;
}
