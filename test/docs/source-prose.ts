/** Extracts the English of a source file: comments, messages and test titles. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

export const ROOT = join(import.meta.dirname, "../..");

export interface Prose {
  readonly line: number;
  readonly text: string;
}

export interface Source {
  readonly path: string;
  readonly text: string;
  /** Consecutive line comments count as one comment. */
  readonly comments: readonly Prose[];
  /** Strings of three words or more. An expression in a template counts as one word, `…`. */
  readonly messages: readonly Prose[];
}

/** Every tracked, hand-written TypeScript and JavaScript file. */
export function sources(): Source[] {
  return tracked(/\.(?:ts|tsx|mjs)$/)
    .filter((path) => !path.includes("generated/"))
    .map((path) => sourceOf(path, readFileSync(join(ROOT, path), "utf8")));
}

export function tracked(name: RegExp): string[] {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 24 });
  return listed.split("\0").filter((path) => name.test(path));
}

export function sourceOf(path: string, text: string): Source {
  const { comments, program } = parseSync(path, text);
  const messages: Prose[] = [];
  collectMessages(program, (start, value) => {
    if (/\S\s+\S+\s+\S/.test(value)) messages.push({ line: lineOf(text, start), text: value });
  });
  return { path, text, comments: joined(text, comments), messages };
}

function joined(
  text: string,
  comments: readonly { readonly start: number; readonly end: number; readonly value: string }[],
) {
  const found: { line: number; text: string; end: number }[] = [];
  for (const { start, end, value } of comments) {
    const words = value.replace(/^[\s*/]+/, "").replace(/\s*\n\s*\*?\s*/g, " ");
    const last = found.at(-1);
    if (
      last !== undefined &&
      text.startsWith("//", start) &&
      /^[^\S\n]*\n[^\S\n]*$/.test(text.slice(last.end, start))
    ) {
      last.text += ` ${words}`;
      last.end = end;
    } else {
      found.push({ line: lineOf(text, start), text: words, end });
    }
  }
  return found;
}

/** The parts that are used here. `quasis` are the parts of a template between its expressions. */
interface Node {
  readonly type?: string;
  readonly start?: number;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

function collectMessages(node: unknown, found: (start: number, value: string) => void): void {
  if (Array.isArray(node)) for (const one of node) collectMessages(one, found);
  else if (typeof node === "object" && node !== null && !(node instanceof RegExp)) {
    const { type, start, value, quasis } = node as Node;
    if ((type === "Literal" || type === "JSXText") && typeof value === "string") found(start ?? 0, value);
    if (type === "TemplateLiteral" && quasis !== undefined)
      found(start ?? 0, quasis.map((part) => part.value.raw).join("…"));
    for (const one of Object.values(node)) collectMessages(one, found);
  }
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
