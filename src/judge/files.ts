/** Rules of the files next to the routes: each row's headers, and each body's content. */
import { HTML_HEADERS } from "../http/route.ts";
import { type NamedFile, FILES as ROWS } from "../resources/table.ts";
import { fieldsOf } from "../values/unknown.ts";
import { header, instantOf, jsonOf, type Reply, shown, textOf } from "./exchange.ts";
import { type Checks, family, type Rule, type Subject } from "./report.ts";

const SPEC = "docs/spec/people.md#files";

export const FILE = family(
  "files",
  {
    status: [
      "a file gets 200 if the site is on",
      "check that the publisher has put its files (noonmark publish), and that the front maps their paths",
    ],
    headers: ["Cache-Control and ETag are the file's own", "let the front pass the file's headers"],
    security: [
      "HTML has its Content-Security-Policy and Referrer-Policy, and nothing inline",
      "let the front pass both headers and insert no script",
    ],
    body: ["each file has its own content", "let the front pass the body unchanged"],
    asset: [
      "each asset of the page gets 200 and is immutable for a year",
      "put assets before the page that names them",
    ],
  },
  SPEC,
);

/** Returns what a body lacks; undefined if it is valid. */
type Fault = (text: string, json: unknown) => string | undefined;

const shows =
  (pattern: RegExp, what: string): Fault =>
  (text) =>
    pattern.test(text) ? undefined : what;
const members =
  (...names: readonly string[]): Fault =>
  (_, json) =>
    names.find((name) => fieldsOf(json)[name] === undefined);
const openapi: Fault = (text, json) =>
  members("openapi", "info", "paths")(text, json) ??
  (String(fieldsOf(json).openapi).startsWith("3.1.") ? undefined : "openapi 3.1");

/** Checks by row name. Assets are judged with the page that loads them, and a log by its proofs. */
const FAULTS: Readonly<Record<NamedFile["name"], Fault | null>> = {
  page: shows(/^\s*<!doctype html>/i, "<!doctype html>"),
  docs: shows(/^\s*<!doctype html>/i, "<!doctype html>"),
  asset: null,
  "log-tile": null,
  "log-end": null,
  openapi,
  "publication-status": members("schemaVersion", "installationId", "now", "publisher", "responses", "sources"),
  deployment: members("schemaVersion", "installationId", "chainMaxAge"),
  robots: shows(/^user-agent:/im, "User-agent"),
  favicon: shows(/<svg[\s>]/, "<svg>"),
};

export const JUDGED_FILES: readonly NamedFile[] = ROWS.filter(({ name }) => FAULTS[name] !== null);

export function subjectOf({ path }: NamedFile): Subject {
  return { name: path, spec: SPEC };
}

export function isHtml({ headers }: NamedFile): boolean {
  return headers === HTML_HEADERS;
}

/** Maximum length of a judged page. Noonmark's own pages have 223,000 characters. */
export const PAGE_CHARACTERS = 512 * 1024;

/** Judges a 200 of a file. The rules of every response are judged separately. */
export function judgeFile(run: Checks, file: NamedFile, reply: Reply): void {
  const subject = subjectOf(file);
  const text = textOf(reply) ?? "";
  const wanted: Record<string, string | null> = { "cache-control": file.cacheControl, ...file.headers };
  for (const [name, value] of Object.entries(wanted)) {
    const rule: Rule = name in HTML_HEADERS ? FILE.security : FILE.headers;
    run.check(rule, subject, header(reply, name) === (value ?? undefined), () => ({
      expected: `${name}: ${value ?? "absent"} on GET ${file.path}`,
      saw: shown(header(reply, name)),
    }));
  }
  const tag = header(reply, "etag");
  run.check(FILE.headers, subject, file.conditional ? /^"[^"]+"$/.test(tag ?? "") : tag === undefined, () => ({
    expected: `${file.conditional ? "a strong ETag" : "no ETag"} on GET ${file.path}`,
    saw: shown(tag),
  }));
  const fault = FAULTS[file.name]?.(text.slice(0, PAGE_CHARACTERS), jsonOf(reply));
  run.check(FILE.body, subject, fault === undefined, () => ({
    expected: `${fault} in ${file.path}`,
    saw: text.slice(0, 80),
  }));
  if (file.name === "publication-status") judgeStatusClock(run, file, reply);
  if (isHtml(file)) judgeHtml(run, file, text);
}

/** Largest difference between `now` in status.json and the Date of its response. */
const STATUS_CLOCK_MS = 10_000;

function judgeStatusClock(run: Checks, file: NamedFile, reply: Reply): void {
  const now = Date.parse(String(fieldsOf(jsonOf(reply)).now));
  run.check(FILE.body, subjectOf(file), Math.abs(instantOf(reply) - now) <= STATUS_CLOCK_MS, () => ({
    expected: `now within ${STATUS_CLOCK_MS / 1_000} s of the server's clock in ${file.path}`,
    saw: (textOf(reply) ?? "").slice(0, 80),
  }));
}

function judgeHtml(run: Checks, file: NamedFile, html: string): void {
  const isShort = html.length <= PAGE_CHARACTERS;
  run.check(FILE.body, subjectOf(file), isShort, () => ({
    expected: `at most ${PAGE_CHARACTERS} characters in ${file.path}`,
    saw: `${html.length} characters`,
  }));
  const inline = isShort ? inlineOf(html) : undefined;
  run.check(FILE.security, subjectOf(file), inline === undefined, () => ({
    expected: `nothing inline in ${file.path}`,
    saw: String(inline),
  }));
}

/** Returns an inline script, style or event handler; undefined if there is none. Takes linear time. */
function inlineOf(html: string): string | undefined {
  const attribute = /\sstyle="|\son[a-z]+="/i.exec(html)?.[0];
  if (attribute !== undefined) return attribute;
  for (let start = html.indexOf("<"); start !== -1; ) {
    const end = html.indexOf(">", start);
    const tag = html.slice(start, end === -1 ? html.length : end + 1);
    if (/^<style[\s>]/i.test(tag) || (/^<script/i.test(tag) && !/\ssrc=/i.test(tag))) return tag;
    start = end === -1 ? -1 : html.indexOf("<", end);
  }
  return undefined;
}
