// Prose uses no retired word of docs/spec/glossary.md.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const GLOSSARY = "docs/spec/glossary.md";

/** Retired words that files below a path need. */
const EXCEPTIONS: readonly (readonly [path: string, ...words: string[]])[] = [
  // The page's readers are not cache engineers.
  ["site/page/", "answer", "answers", "answered", "heard", "anew", "stands"],
  ["test/site/browser/", "answer", "answered", "heard"],
  // The test's own examples.
  ["test/docs/language.test.ts", "stand", "stands", "chainWord"],
];

interface Passage {
  readonly place: string;
  readonly text: string;
}

const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 24 }).split("\n");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
// Released entries of the changelog keep their words.
const DOCUMENTS = files
  .filter((path) => path.endsWith(".md") && path !== "CHANGELOG.md")
  .flatMap((path) => passages(path, read(path)));
const SOURCES = files.filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && !path.includes("generated/"));
const PROSE = SOURCES.map((path) => proseOf(path, read(path)));
const COMMENTS = PROSE.flatMap(({ comments }) => comments);
const MESSAGES = PROSE.flatMap(({ messages }) => messages);

test("no document, comment or message has a retired word, and no source a retired name", () => {
  const { words, names } = retiredWords(read(GLOSSARY));
  expect([words.length > 10, names.length > 5]).toEqual([true, true]);
  const prose = [...DOCUMENTS.filter(({ place }) => !place.startsWith(GLOSSARY)), ...COMMENTS, ...MESSAGES];
  const lines = SOURCES.flatMap((path) =>
    read(path)
      .split("\n")
      .map((text, index) => ({ place: `${path}:${index + 1}`, text })),
  );
  expect([...prose.flatMap(uses(words)), ...lines.flatMap(uses(names))]).toEqual([]);
});

test("no text of src or publish names a flag or a variable of the program, because only bin knows them", () => {
  const flags = ({ text }: Passage) => /(?<![\w-])--[a-z][a-z-]*|NOONMARK_[A-Z]/.test(text) && !FOREIGN_FLAG.test(text);
  const texts = MESSAGES.filter(({ place }) => /^(?:src|publish)\//.test(place));
  expect([texts.length > 500, texts.filter(flags)]).toEqual([true, []]);
});

/** A flag of another program. */
const FOREIGN_FLAG = /usermod --append/;

test("a retired word is found in a list, a table, a comment and a template", () => {
  const page = passages("a.md", "# Title\n\nIt\nstands.\n- Short.\n\n| A. | It stands. |\n");
  expect(page.flatMap(uses(["stands"]))).toEqual(["a.md:3 “stands”: It stands.", "a.md:7 “stands”: It stands."]);
  const { comments, messages } = proseOf(
    "a.ts",
    "// It\n// stands.\nfail(`${`${one} things stand ${other}`}`);\n/** A.\n *\n * B. */",
  );
  expect(comments.map(({ place, text }) => `${place} ${text}`)).toEqual([
    "a.ts:1 It stands.",
    "a.ts:4 A.",
    "a.ts:6 B.",
  ]);
  expect(messages.flatMap(uses(["stand"]))).toEqual(["a.ts:3 “stand”: … things stand …"]);
});

/** Paragraphs, list items and table cells of Markdown, each as one line. A code span counts as one word. */
function passages(path: string, markdown: string, firstLine = 1): Passage[] {
  const blank = (block: string) => block.replace(/[^\n]/g, "");
  const marked = markdown
    .replace(/^ *```[^]*?^ *```$/gm, blank)
    .replace(/(?<=\n\n)(?: {4}.*\n)+/g, blank)
    .replace(/<!--[^]*?-->/g, blank)
    .replace(/`[^`\n]*\n?[^`\n]*`/g, (span) => `code${blank(span)}`)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\|.*\|$/gm, (row) => row.replace(/(?<!\\)\||<br>/g, "\0"))
    .replace(/<[^>]*>/g, "")
    .replace(/^ *(?:[-*]|\d+\.) |^#.*$|^ *@\w+|\n(?=\s*\n)/gm, (mark) => `${blank(mark)}\0`);
  return [...marked.matchAll(/[^\0]*[^\0\s][^\0]*/g)].map(({ 0: text, index }) => ({
    place: `${path}:${firstLine + lineOf(marked, index + text.search(/\S/)) - 1}`,
    text: text.trim().replace(/\s+/g, " "),
  }));
}

/** Comments, and strings of three words or more. Line comments below each other are one comment. */
function proseOf(path: string, source: string): { readonly comments: Passage[]; readonly messages: Passage[] } {
  const { comments, program } = parseSync(path, source);
  const runs: { line: number; end: number; text: string }[] = [];
  for (const { type, start, end, value } of comments) {
    const text = value.replace(/^ *\* ?/gm, "");
    const last = runs.at(-1);
    if (type === "Line" && last !== undefined && /^ *\n *$/.test(source.slice(last.end, start))) {
      Object.assign(last, { end, text: `${last.text}\n${text}` });
    } else runs.push({ line: lineOf(source, start), end, text });
  }
  const messages: Passage[] = [];
  const add = (start: number, value: unknown) => {
    if (typeof value !== "string" || !/\S\s+\S+\s+\S/.test(value)) return;
    messages.push({ place: `${path}:${lineOf(source, start)}`, text: value.trim().replace(/\s+/g, " ") });
  };
  new Visitor({
    Literal: ({ start, value }) => add(start, value),
    JSXText: ({ start, value }) => add(start, value),
    TemplateLiteral: ({ start, quasis }) => add(start, quasis.map(({ value }) => value.raw).join("…")),
  }).visit(program);
  return { comments: runs.flatMap(({ line, text }) => passages(path, text, line)), messages };
}

/** The glossary's last table: retired words for prose, and names (in code spans) for source. */
function retiredWords(glossary: string): { readonly words: string[]; readonly names: string[] } {
  const rows = glossary.slice(glossary.lastIndexOf("---"));
  const cells = [...rows.matchAll(/^\|[^|]*\| ([^|]+) \|$/gm)].flatMap(([, cell = ""]) => cell.split(", "));
  const isName = (word: string) => word.startsWith("`");
  return { words: cells.filter((word) => !isName(word)), names: cells.filter(isName).map((name) => name.slice(1, -1)) };
}

function uses(words: readonly string[]): (passage: Passage) => string[] {
  return ({ place, text }) => {
    const allowed = EXCEPTIONS.filter(([path]) => place.startsWith(path)).flat();
    return words
      .filter((word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`, /[A-Z]/.test(word) ? "" : "i").test(text))
      .filter((word) => !allowed.includes(word))
      .map((word) => `${place} “${word}”: ${text}`);
  };
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
