/**
 * HTTP scripts: plain text, blocks between empty lines, each a few requests and the one answer they all get.
 *
 *     # a comment
 *     GET /v4/public/process?a            one or more request lines
 *     > If-None-Match: "process-1"        request headers
 *     @ clock +120001                     the clock, in ms after the world's instant (put back after the block)
 *     @ without v4/public/process         before the requests that object is taken away (put back after the block)
 *     @ store fails                       the store cannot be read during the block
 *     304                                 the status
 *     ETag: "process-1"                   each header of the answer that not every answer has
 *     = {"error":"invalid_query"}         the body, or
 *     = object v4/public/process          the body of that object as it was put, or
 *     ? items.length = 100                a value in the JSON body, as JSON
 *
 * `! Access-Control-Allow-Origin` says that a header of every answer is not on this one. Headers are exact: one that is neither listed nor on every answer is a failure. A body is expected exactly where the
 * block has a line for it.
 */

export interface ScriptBlock {
  /** For messages: `process.http-script:12`. */
  readonly where: string;
  readonly requests: readonly { readonly method: string; readonly target: string }[];
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly clock?: number;
  readonly without: readonly string[];
  readonly storeFails: boolean;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of every answer that this one has not. */
  readonly lacks: readonly string[];
  readonly body?: { readonly text: string } | { readonly object: string };
  readonly values: readonly { readonly path: string; readonly json: string }[];
}

type Draft = { -readonly [Name in keyof ScriptBlock]: ScriptBlock[Name] } & {
  requests: { method: string; target: string }[];
  requestHeaders: Record<string, string>;
  without: string[];
  headers: Record<string, string>;
  lacks: string[];
  values: { path: string; json: string }[];
};

type Take = (draft: Draft, one: string, two: string) => void;

/** First match wins. */
const LINES: readonly (readonly [RegExp, Take])[] = [
  [/^([A-Z]+) (\S+)$/, (draft, method, target) => draft.requests.push({ method, target })],
  [/^> ([\w-]+): ?(.*)$/, (draft, name, value) => Object.assign(draft.requestHeaders, { [name.toLowerCase()]: value })],
  [/^@ clock \+(\d+)$/, (draft, ms) => Object.assign(draft, { clock: Number(ms) })],
  [/^@ without (\S+)$/, (draft, key) => draft.without.push(key)],
  [/^@ store fails$/, (draft) => Object.assign(draft, { storeFails: true })],
  [/^(\d{3})$/, (draft, status) => Object.assign(draft, { status: Number(status) })],
  [/^= object (\S+)$/, (draft, object) => Object.assign(draft, { body: { object } })],
  [/^= (.*)$/, (draft, text) => Object.assign(draft, { body: { text } })],
  [/^\? (\S+) = (.*)$/, (draft, path, json) => draft.values.push({ path, json })],
  [/^! ([\w-]+)$/, (draft, name) => draft.lacks.push(name.toLowerCase())],
  [/^([A-Za-z][\w-]*): (.*)$/, (draft, name, value) => Object.assign(draft.headers, { [name.toLowerCase()]: value })],
];

/** Throws where a line is none of the above, a block has no request or no status. */
export function parseScript(name: string, text: string): ScriptBlock[] {
  const blocks: ScriptBlock[] = [];
  let draft: Draft | undefined;
  const finish = () => {
    if (draft === undefined) return;
    if (draft.requests.length === 0 || draft.status === 0) throw new Error(`${draft.where}: no request or no status`);
    blocks.push(draft);
    draft = undefined;
  };
  for (const [index, line] of text.split("\n").entries()) {
    const where = `${name}:${index + 1}`;
    if (line.trim() === "") finish();
    else if (!line.startsWith("#")) {
      draft ??= empty(where);
      takeLine(draft, line, where);
    }
  }
  finish();
  return blocks;
}

function takeLine(draft: Draft, line: string, where: string): void {
  for (const [pattern, take] of LINES) {
    const match = pattern.exec(line);
    if (match === null) continue;
    take(draft, match[1] ?? "", match[2] ?? "");
    return;
  }
  throw new Error(`${where}: not a line of a script: ${line}`);
}

function empty(where: string): Draft {
  return {
    where,
    requests: [],
    requestHeaders: {},
    without: [],
    storeFails: false,
    status: 0,
    headers: {},
    lacks: [],
    values: [],
  };
}
