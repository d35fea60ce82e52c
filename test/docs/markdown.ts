/** Parses Markdown for the document tests: fenced blocks, links and anchors. */

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

/** Keeps line numbers. */
function withoutCode(markdown: string): string {
  return markdown
    .replace(/^```[^]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}
