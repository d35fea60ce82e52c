/** Parses Markdown for the document tests: fenced blocks, links, anchors and sentences. */

export interface Link {
  readonly line: number;
  readonly target: string;
}

/** The contents of a language's fenced blocks, in order. */
export function fenced(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);
}

/** Inline links outside code, with their targets as written. */
export function links(markdown: string): Link[] {
  return withoutCode(markdown)
    .split("\n")
    .flatMap((text, index) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({ line: index + 1, target })),
    );
}

/** Explicit anchors, and those of headings. */
export function anchors(markdown: string): string[] {
  const text = withoutCode(markdown);
  const written = [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = ""]) => id);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slug(heading));
  return [...written, ...headings];
}

/** Explicit anchors only. Each must be unique. */
export function writtenAnchors(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = ""]) => id);
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Lines outside fenced blocks that begin or end a code span without its other end. */
export function brokenSpans(markdown: string): { readonly line: number; readonly text: string }[] {
  return markdown
    .replace(/^```[^]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""))
    .split("\n")
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => (text.match(/`/g)?.length ?? 0) % 2 === 1);
}

/** Keeps line numbers. */
function withoutCode(markdown: string): string {
  return markdown
    .replace(/^```[^]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}

export interface Passage {
  readonly line: number;
  readonly text: string;
  readonly isCell: boolean;
}

/** Paragraphs, list items and table cells outside code, each as one line. A code span counts as one word. */
export function passages(markdown: string): Passage[] {
  const found: { line: number; text: string; isCell: boolean }[] = [];
  let open: { line: number; text: string; isCell: boolean } | undefined;
  for (const [index, raw] of proseOf(markdown).split("\n").entries()) {
    const text = raw.trim();
    if (text.startsWith("|")) {
      open = undefined;
      if (/^\|[\s:|-]+$/.test(text)) continue;
      for (const cell of text
        .slice(1)
        .replace(/\|$/, "")
        .split(/(?<!\\)\||¶/)) {
        found.push({ line: index + 1, text: cell.trim(), isCell: true });
      }
    } else if (text === "" || text.startsWith("#")) {
      open = undefined;
    } else if (open === undefined || /^(?:[-*]|\d+\.) /.test(text)) {
      open = { line: index + 1, text: text.replace(/^(?:[-*]|\d+\.) /, ""), isCell: false };
      found.push(open);
    } else {
      open.text += ` ${text}`;
    }
  }
  return found.filter(({ text }) => /\w/.test(text));
}

/** A sentence ends with a mark before a capital letter, a digit, code or a link. */
export function sentences(text: string): string[] {
  return text.split(/(?<=[.!?][)"”*]*) +(?=["“(*]*[A-Z0-9`[])/).filter((sentence) => /\w/.test(sentence));
}

export function wordsIn(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

/** Removes fenced code, elements and comments. A link becomes its text, and a code span one word. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/^ *```[^]*?^ *```$/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/(?<=\n\n)(?: {4}.*\n)+/g, (block) => block.replace(/[^\n]/g, ""))
    .replace(/<!--[^]*?-->/g, (comment) => comment.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[^`]+/, "code"))
    .replace(/<br>/g, "¶")
    .replace(/<[^>]*>/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
}
