// Documents, comments and messages follow the rules of docs/spec/glossary.md and CONTRIBUTING.md.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DOCUMENT_EXCEPTIONS, LEFT_OVER_STARTS, LEFT_OVER_WORDS, WORD_EXCEPTIONS } from "./language-exceptions.ts";
import { brokenSpans, passages, sentences, wordsIn } from "./markdown.ts";
import { type Prose, ROOT, sourceOf, sources, tracked } from "./source-prose.ts";

const AVERAGE_WORDS = 15;
const LIMIT_WORDS = 30;
const GLOSSARY = "docs/spec/glossary.md";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const DOCUMENTS = tracked(/\.md$/);
const SOURCES = sources();

interface Place {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

test.each(DOCUMENTS)("%s has sentences of 15 words on average and of 30 at most", (path) => {
  const found = passages(read(path)).flatMap(({ line, text, isCell }) =>
    sentences(text).map((sentence) => ({ line, sentence, isCell, words: wordsIn(sentence) })),
  );
  const { average: allowed = AVERAGE_WORDS, long: allowedLong = 0 } = DOCUMENT_EXCEPTIONS[path] ?? {};
  const long = found
    .filter(({ words }) => words > LIMIT_WORDS)
    .map((one) => `${path}:${one.line} ${one.words} words: ${one.sentence}`);
  expect(long.length > allowedLong ? long : []).toEqual([]);
  const prose = found.filter(({ isCell }) => !isCell).map(({ words }) => words);
  const average = prose.reduce((sum, words) => sum + words, 0) / Math.max(1, prose.length);
  expect(average).toBeLessThanOrEqual(allowed);
});

test("no sentence of a document starts with Of, What, Whether or Where, unless it is a question", () => {
  const found = DOCUMENTS.flatMap((path) =>
    passages(read(path))
      .filter(({ isCell }) => !isCell)
      .flatMap(({ line, text }) => sentences(text).map((sentence) => ({ path, line, text: sentence })))
      .filter(({ text }) => startsBadly(text)),
  );
  expect(beyond(found, LEFT_OVER_STARTS)).toEqual([]);
});

test("no code span of a document is broken over two lines, so that a command can be copied and searched", () => {
  const found = DOCUMENTS.filter((path) => path !== "CHANGELOG.md").flatMap((path) =>
    brokenSpans(read(path)).map(({ line, text }) => `${path}:${line} ${text}`),
  );
  expect(found).toEqual([]);
  expect(brokenSpans("a `b c\nd` e `f`\n```\n`\n```\n").map(({ line }) => line)).toEqual([1, 2]);
});

test("no comment starts with Of, What, Whether or Where, unless it is a question", () => {
  const found = SOURCES.flatMap(({ path, comments }) => placed(path, comments)).filter(({ text }) => startsBadly(text));
  expect(beyond(found, LEFT_OVER_STARTS)).toEqual([]);
});

test("no document, comment or message has a retired word, and no source a retired name", () => {
  const { words, names } = retired(read(GLOSSARY));
  expect(words.length).toBeGreaterThan(10);
  expect(names.length).toBeGreaterThan(5);
  const documents = DOCUMENTS.filter((path) => path !== GLOSSARY).flatMap((path) =>
    placed(path, passages(read(path))).flatMap((place) => hits(place, words)),
  );
  const prose = SOURCES.flatMap(({ path, comments, messages }) =>
    placed(path, [...comments, ...messages]).flatMap((place) => hits(place, words)),
  );
  const named = SOURCES.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => hits({ path, line: index + 1, text: line }, names)),
  );
  expect(beyond([...documents, ...prose, ...named], LEFT_OVER_WORDS)).toEqual([]);
});

test("a retired word is found in a template whose parts are short", () => {
  const { messages } = sourceOf("x.ts", "fail(`${count} answers stand`); fail(`${`${one} stands ${other}`}`);");
  const found = messages.flatMap(({ line, text }) => hits({ path: "x.ts", line, text }, ["stand", "stands"]));
  expect(found.map(({ text }) => text)).toEqual(["… answers stand", "… stands …"]);
});

test("a comment, a message and a long sentence are found", () => {
  const { comments, messages } = sourceOf("x.ts", "// Of the\n// store.\nfail(`it stands ${1} now`);\n");
  expect(comments.map(({ text }) => text)).toEqual(["Of the store."]);
  expect(startsBadly("Of the store.")).toBe(true);
  expect(startsBadly("What is it?")).toBe(false);
  expect(messages.map(({ text }) => text)).toEqual(["it stands … now"]);
  expect(hits({ path: "x", line: 1, text: "it stands" }, ["stands"])).toHaveLength(1);
  expect(sentences("One is here. `two` is there! A third (it is long.) Four.").map(wordsIn)).toEqual([3, 3, 5, 1]);
});

/** The glossary's retired words for prose, and its retired names (in code spans) for source. */
function retired(glossary: string): { readonly words: string[]; readonly names: string[] } {
  const cells = glossary
    .split("\n")
    .filter((line) => /^\|.*\|$/.test(line) && !/^\|[\s-]+\|/.test(line))
    .slice(1)
    .flatMap((line) => (line.split("|")[3] ?? "").replace(/\([^)]*\)/g, "").split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
  return {
    words: cells.filter((word) => !word.startsWith("`")),
    names: cells.filter((word) => word.startsWith("`")).map((word) => word.replaceAll("`", "")),
  };
}

function hits(place: Place, words: readonly string[]): (Place & { readonly word: string })[] {
  const allowed = WORD_EXCEPTIONS[place.path] ?? [];
  return words
    .filter(
      (word) =>
        !allowed.includes(word) &&
        new RegExp(`(?<![\\w-])${word}(?![\\w-])`, /[A-Z]/.test(word) ? "" : "i").test(place.text),
    )
    .map((word) => ({ ...place, word }));
}

function startsBadly(text: string): boolean {
  return /^(?:Of|What|Whether|Where)\b/.test(text) && !/^[^.]*\?/.test(text);
}

/** The places of each folder that exceed its allowance. */
function beyond(places: readonly Place[], allowed: Readonly<Record<string, number>>): string[] {
  const byFolder = Map.groupBy(places, ({ path }) => folderOf(path));
  return [...byFolder].flatMap(([folder, found]) => {
    const limit = allowed[folder] ?? 0;
    return found.length > limit ? [`${folder}: ${found.length} places, at most ${limit}`, ...found.map(shown)] : [];
  });
}

/** Two levels in `src` and `test`, one elsewhere. */
function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.slice(0, /^(?:src|test)$/.test(parts[0] ?? "") ? 2 : 1).join("/");
}

function placed(path: string, found: readonly Prose[]): Place[] {
  return found.map(({ line, text }) => ({ path, line, text }));
}

function shown(place: Place & { readonly word?: string }): string {
  return `${place.path}:${place.line} ${place.word === undefined ? "" : `"${place.word}": `}${place.text}`;
}
