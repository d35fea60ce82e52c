/** Renders sections of docs/spec as HTML. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked } from "marked";
import { Html } from "./html.ts";

const ROOT = join(import.meta.dirname, "../../docs/spec");
const marked = new Marked();

export interface Section {
  readonly title: string;
  /** The section without its heading. Its inner headings are one level below `level`. */
  readonly body: Html;
}

/** Returns the section at an anchor. Its inner headings become h3 and h4. */
export function section(file: "api.md" | "people.md" | "log.md", anchor: string): Section {
  const text = readFileSync(join(ROOT, file), "utf8");
  const from = text.search(new RegExp(`^.*<a id="${anchor}"></a>.*\\n#`, "m"));
  if (from < 0) throw new Error(`${file} has no section #${anchor}`);
  const found = /^(#+) (.*)\n/m.exec(text.slice(from));
  if (found === null) throw new Error(`${file}#${anchor} has no heading`);
  const [line, marks = "", title = ""] = found;
  const rest = text.slice(from + found.index + line.length);
  const end = rest.search(new RegExp(`^(?:<a id="[^\\n]*\\n)?#{1,${marks.length}} `, "m"));
  const own = (end < 0 ? rest : rest.slice(0, end)).replaceAll(/^Status: being built$/gm, "");
  return { title: title.replaceAll("`", ""), body: new Html(readable(marked.parse(own, { async: false }))) };
}

/** Makes wide tables scrollable by keyboard. Links to other documents become plain text. */
function readable(text: string): string {
  return text
    .replaceAll("<table>", '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll(/<a href="(?!#)[^"]*">([\s\S]*?)<\/a>/g, "$1");
}

/** Turns links to anchors that the page lacks into plain text. */
export function withoutDeadLinks(page: string): string {
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  return page.replaceAll(/<a href="#([^"]+)">([\s\S]*?)<\/a>/g, (link, id: string, words: string) =>
    ids.has(id) ? link : words,
  );
}
