/** Rules of the files next to the routes, if a deployment has them: page, reference, OpenAPI, status. */
import { HTML_HEADERS } from "../http/route.ts";
import { assetFile } from "../resources/site/route.ts";
import { FILES, type NamedFile } from "../resources/table.ts";
import { fieldsOf } from "../values/unknown.ts";
import { header, instantOf, jsonOf, type Reply, seenReply, shown, textOf } from "./exchange.ts";
import { exchangesOf } from "./exchanges/of-row.ts";
import { expectHeadAsGet, sendAll } from "./exchanges/send.ts";
import type { Check } from "./report.ts";
import type { Run } from "./run.ts";

/** By file: a pattern of its text, or the names of its JSON fields. */
const CONTENT: Readonly<Record<NamedFile["name"], RegExp | readonly string[] | null>> = {
  page: /^\s*<!doctype html>/i,
  docs: /^\s*<!doctype html>/i,
  openapi: ["openapi", "info", "paths"],
  "publication-status": ["schemaVersion", "installationId", "now", "publisher", "responses", "sources"],
  deployment: ["schemaVersion", "installationId", "chainMaxAge"],
  robots: /^user-agent:/im,
  favicon: /<svg[\s>]/,
  // Assets are judged with the page that loads them, and a log by its proofs.
  asset: null,
  "log-tile": null,
  "log-end": null,
};

export const JUDGED_FILES: readonly NamedFile[] = FILES.filter(({ name }) => CONTENT[name] !== null);

export async function judgeFiles(run: Run): Promise<void> {
  const found = await Promise.all(
    JUDGED_FILES.map(async (file) => ({ file, reply: await run.ask({ file, target: file.path }) })),
  );
  if (found.every(({ reply }) => reply.status === 404)) {
    run.skip("files", "every file is 404: the site is turned off");
    return;
  }
  await Promise.all(found.map(({ file, reply }) => run.guarded(`GET ${file.path}`, () => judgeFile(run, file, reply))));
}

async function judgeFile(run: Run, file: NamedFile, reply: Reply): Promise<void> {
  const check = run.on(`GET ${file.path}`);
  if (!check("files/headers", reply.status === 200, "200", seenReply(reply))) return;
  const wanted: Record<string, string | null> = { "cache-control": file.cacheControl, ...file.headers };
  for (const [name, value] of Object.entries(wanted)) {
    const holds = header(reply, name) === (value ?? undefined);
    check("files/headers", holds, `${name}: ${value ?? "absent"}`, shown(header(reply, name)));
  }
  const tag = header(reply, "etag");
  const isTagged = file.conditional ? /^"[^"]+"$/.test(tag ?? "") : tag === undefined;
  check("files/headers", isTagged, file.conditional ? "a strong ETag" : "no ETag", shown(tag));
  judgeContent(check, file, reply);
  await sendAll(run, exchangesOf(file), { file });
  await expectHeadAsGet(run, { file, target: file.path });
  if (file.headers === HTML_HEADERS) await judgePage(run, check, textOf(reply) ?? "");
}

/** Largest difference (ms) between `now` in status.json and the Date of its response. */
const STATUS_CLOCK_MS = 10_000;
/** Noonmark's own pages have 223,000 characters. */
const PAGE_CHARACTERS = 512 * 1024;

function judgeContent(check: Check, { name }: NamedFile, reply: Reply): void {
  const text = (textOf(reply) ?? "").slice(0, PAGE_CHARACTERS);
  const content = CONTENT[name];
  const fields = fieldsOf(jsonOf(reply));
  const missing = content instanceof RegExp ? undefined : content?.find((field) => fields[field] === undefined);
  const holds = content instanceof RegExp ? content.test(text) : missing === undefined;
  check("files/body", holds, String(missing ?? content), text.slice(0, 80));
  if (name === "openapi")
    check("files/body", String(fields.openapi).startsWith("3.1."), "openapi 3.1", text.slice(0, 80));
  if (name !== "publication-status") return;
  const isNow = Math.abs(instantOf(reply) - Date.parse(String(fields.now))) <= STATUS_CLOCK_MS;
  check("files/body", isNow, `now within ${STATUS_CLOCK_MS / 1_000} s of the server's clock`, String(fields.now));
}

/** The maximum number of assets to request. Noonmark's own pages have two. */
const MAX_ASSETS = 32;
const ASSET = /(?:src|href)="(?:\.?\/)?(assets\/[^"]+)"/g;

async function judgePage(run: Run, check: Check, html: string): Promise<void> {
  const isShort = html.length <= PAGE_CHARACTERS;
  check("files/body", isShort, `at most ${PAGE_CHARACTERS} characters`, `${html.length} characters`);
  if (!isShort) return;
  const inline = inlineOf(html);
  check("files/body", inline === undefined, "nothing inline", String(inline));
  const assets = new Set([...html.matchAll(ASSET)].map(([, path]) => `/${path}`));
  check("files/body", assets.size <= MAX_ASSETS, `at most ${MAX_ASSETS} assets`, `${assets.size}`);
  for (const target of [...assets].slice(0, MAX_ASSETS)) {
    const reply = await run.ask({ file: assetFile, target });
    const cacheControl = header(reply, "cache-control");
    const holds = reply.status === 200 && cacheControl === assetFile.cacheControl;
    const seen = `${seenReply(reply)}, ${shown(cacheControl)}`;
    run.on(`GET ${target}`)("files/headers", holds, `200, Cache-Control: ${assetFile.cacheControl}`, seen);
  }
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
