/** The files beside the routes, where a deployment has them: page, reference, OpenAPI, feeds, badge, status. */

import { HTML_HEADERS } from "../../http/files.ts";
import { judgeRefusal, seen } from "../../judge/errors.ts";
import { header, instantOf, jsonOf, type Reply, textOf } from "../../judge/exchange.ts";
import { shown } from "../../judge/judged.ts";
import type { Subject } from "../../judge/report.ts";
import { family } from "../../judge/rule.ts";
import { FILES, type FileContract } from "../files-contract.ts";
import type { Run } from "../run.ts";
import { type Asked, ask } from "./ask.ts";
import { each } from "./guarded.ts";

const SPEC = "docs/spec/people.md#files";

export const FILE = family("files", {
  status: [
    "a file is answered 200 where the site is on, whatever its query",
    "see that the publisher has put its files (noonmark publish), and that the front maps their paths",
    SPEC,
  ],
  headers: [
    "content type, Cache-Control, nosniff and CORS are the file's own",
    "let the front pass the file's headers",
    SPEC,
  ],
  security: [
    "HTML carries its Content-Security-Policy and Referrer-Policy, and nothing inline",
    "let the front pass both headers and insert no script",
    SPEC,
  ],
  tag: [
    "a strong ETag from the bytes, and 304 with If-None-Match; status.json has neither",
    "let the front pass ETag and evaluate If-None-Match",
    SPEC,
  ],
  method: ["HEAD as GET, and 405 to all else", "let the front treat files as it treats routes", SPEC],
  body: ["each file says what it is for", "let the front pass the body as it is", SPEC],
  asset: ["what the page loads is there, immutable for a year", "put assets before the page that names them", SPEC],
});

export async function judgeFiles(run: Run): Promise<void> {
  const replies = await Promise.all(FILES.map(({ path }) => ask(run, { target: path, foreign: true })));
  if (replies.every(({ status }) => status === 404)) {
    run.skip(FILE.status, "every file is 404: the site is turned off");
    return;
  }
  const found = FILES.map((file, index) => ({ file, reply: replies[index] as Reply }));
  await each(run, found, {
    of: ({ file }) => subjectOf(file),
    checks: ({ file, reply }) => judgeFile(run, file, reply),
  });
}

function subjectOf({ path }: FileContract): Subject {
  return { name: path, spec: SPEC };
}

async function judgeFile(run: Run, file: FileContract, reply: Reply): Promise<void> {
  const subject = subjectOf(file);
  run.check(FILE.status, subject, reply.status === 200, () => ({
    expected: `200 to GET ${file.path}`,
    saw: seen(reply),
  }));
  if (reply.status !== 200) return;
  judgeHeaders(run, file, reply);
  const fault = file.fault((textOf(reply) ?? "").slice(0, PAGE_CHARACTERS), jsonOf(reply));
  run.check(FILE.body, subject, fault === undefined, () => ({
    expected: `${fault} in ${file.path}`,
    saw: (textOf(reply) ?? "").slice(0, 80),
  }));
  if (file.path === "/status.json") judgeStatusClock(run, file, reply);
  const asked = await ask(run, { target: `${file.path}?a=1`, foreign: true });
  run.check(FILE.status, subject, asked.status === 200, () => ({
    expected: `200 to GET ${file.path}?a=1`,
    saw: seen(asked),
  }));
  await judgeTag(run, file, reply);
  await judgeMethods(run, file, reply);
  if (!file.html) return;
  const html = textOf(reply) ?? "";
  const isShort = html.length <= PAGE_CHARACTERS;
  run.check(FILE.body, subject, isShort, () => ({
    expected: `at most ${PAGE_CHARACTERS} characters in ${file.path}`,
    saw: `${html.length} characters`,
  }));
  if (isShort) await judgePage(run, file, html);
}

function judgeHeaders(run: Run, file: FileContract, reply: Reply): void {
  const wanted: Record<string, string | undefined> = {
    "content-type": file.type,
    "cache-control": file.cacheControl,
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": file.html ? undefined : "*",
    ...(file.html ? HTML_HEADERS : {}),
  };
  for (const [name, value] of Object.entries(wanted)) {
    const got = header(reply, name);
    const rule = name in HTML_HEADERS ? FILE.security : FILE.headers;
    run.check(rule, subjectOf(file), got === value || (file.html && name.startsWith("access-control")), () => ({
      expected: `${name}: ${value ?? "absent"} on GET ${file.path}`,
      saw: shown(got),
    }));
  }
}

function judgeStatusClock(run: Run, file: FileContract, reply: Reply): void {
  const now = Date.parse((jsonOf(reply) as { now?: string } | undefined)?.now ?? "");
  run.check(FILE.body, subjectOf(file), Math.abs(instantOf(reply) - now) <= 10_000, () => ({
    expected: `now within 10 s of the server's clock in ${file.path}`,
    saw: (textOf(reply) ?? "").slice(0, 80),
  }));
}

/** The file may be put anew in between: then its tag is another. */
async function judgeTag(run: Run, file: FileContract, first: Reply): Promise<void> {
  const subject = subjectOf(file);
  const tag = header(first, "etag");
  run.check(FILE.tag, subject, file.tag ? /^"[^"]+"$/.test(tag ?? "") : tag === undefined, () => ({
    expected: `${file.tag ? "a strong ETag" : "no ETag"} on GET ${file.path}`,
    saw: shown(tag),
  }));
  const fields = file.tag && tag !== undefined ? [tag, `W/${tag}`, `"x", ${tag}`, "*"] : ["*"];
  for (const field of fields) {
    const reply = await ask(run, { target: file.path, headers: { "if-none-match": field }, foreign: true });
    const hasMoved = reply.status === 200 && header(reply, "etag") !== tag;
    const holds = file.tag ? reply.status === 304 || hasMoved : reply.status === 200;
    run.check(FILE.tag, subject, holds, () => ({
      expected: `${file.tag ? 304 : 200} to GET ${file.path} with If-None-Match: ${field}`,
      saw: String(reply.status),
    }));
  }
}

async function judgeMethods(run: Run, file: FileContract, got: Reply): Promise<void> {
  const subject = subjectOf(file);
  const target = file.path;
  const head = await ask(run, { target, method: "HEAD", foreign: true });
  const names = ["content-type", "cache-control"];
  const wrong = names.filter((name) => header(head, name) !== header(got, name));
  run.check(FILE.method, subject, head.status === 200 && head.body.length === 0 && wrong.length === 0, () => ({
    expected: `HEAD ${target} as GET`,
    saw: `${head.status} ${wrong.map((name) => `${name} ${shown(header(head, name))}`).join(", ")}`,
  }));
  const asked: Asked = { target, method: "POST" };
  const reply = await ask(run, asked);
  judgeRefusal({
    run,
    rule: FILE.method,
    subject,
    request: `POST ${target}`,
    reply,
    status: 405,
    code: "method_not_allowed",
  });
}

/** A script, style or handler that stands in the page itself; undefined if there is none. Takes a time linear in the page. */
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

/** The longest page that is judged; our own have 223,000 characters. */
export const PAGE_CHARACTERS = 512 * 1024;
/** Assets that are asked for; our own pages name two. */
const MAX_ASSETS = 32;
const ASSET = /(?:src|href)="(?:\.?\/)?(assets\/[^"]+)"/g;

async function judgePage(run: Run, file: FileContract, html: string): Promise<void> {
  const subject = subjectOf(file);
  const inline = inlineOf(html);
  run.check(FILE.security, subject, inline === undefined, () => ({
    expected: `nothing inline in ${file.path}`,
    saw: String(inline),
  }));
  const assets = [...new Set([...html.matchAll(ASSET)].map(([, path]) => path))];
  run.check(FILE.asset, subject, assets.length <= MAX_ASSETS, () => ({
    expected: `at most ${MAX_ASSETS} assets in ${file.path}`,
    saw: `${assets.length}`,
  }));
  for (const path of assets.slice(0, MAX_ASSETS)) {
    const reply = await ask(run, { target: `/${path}`, foreign: true });
    const cacheControl = header(reply, "cache-control");
    const holds = reply.status === 200 && cacheControl === "public, max-age=31536000, immutable";
    run.check(FILE.asset, subject, holds, () => ({
      expected: `200 and Cache-Control: public, max-age=31536000, immutable to GET /${path}`,
      saw: `${seen(reply)}, ${shown(cacheControl)}`,
    }));
  }
}
