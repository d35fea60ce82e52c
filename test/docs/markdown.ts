/** What the documents' tests need of Markdown: fenced blocks, links, anchors. */

export interface Link {
  readonly line: number;
  readonly target: string;
}

/** The texts of the fenced blocks of a language, in order. */
export function fenced(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);
}

/** Inline links outside code; targets as they are written. */
export function links(markdown: string): Link[] {
  return withoutCode(markdown)
    .split("\n")
    .flatMap((text, index) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({ line: index + 1, target })),
    );
}

/** Anchors that were written out, and those that headings get. */
export function anchors(markdown: string): string[] {
  const text = withoutCode(markdown);
  const written = [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = ""]) => id);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slug(heading));
  return [...written, ...headings];
}

/** Anchors that were written out alone: each may stand once. */
export function writtenAnchors(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = ""]) => id);
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Lines stay where they are. */
function withoutCode(markdown: string): string {
  return markdown
    .replace(/^```[^]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}
