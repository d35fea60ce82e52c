/**
 * Parses exchanges from text: requests, and the response that all of them get. Those of `of-row.ts` and of the contracts
 * hold for every deployment. Test scripts have the same format, for one prepared store. An empty line ends a block.
 *
 *     # a comment
 *     & query/refused                      the rule of verify that a different response breaks
 *     GET /v4/public/process?a             one or more request lines
 *     > If-None-Match: "{tag}"             a request header; lines with the same name are alternatives, all are sent
 *     as /v4/public/process                the same response as to this plain GET; or
 *     first 16 items of /v1/…              the first 16 entries of that response's list, or all; or
 *     304                                  the status
 *     ETag: "process-1"                    a header besides the common ones; {plain}: as in the plain GET
 *     ! Access-Control-Allow-Origin        a common header that this response lacks
 *     = {"error":"invalid_query"}          the body; or
 *     = object v4/public/process           the body of that object; or
 *     ? items.length = 100                 a value in the JSON body, as JSON
 *
 * These lines are only for test scripts, which control clock and store. They apply to one block:
 *
 *     @ clock +120001                      the clock, in ms after the world's instant
 *     @ without v4/public/process          that object is absent
 *     @ store fails                        the store cannot be read
 *
 * `{installationId}` is the installation whose history is read, `{unique}` a word that no request contained before,
 * and `{tag}` the plain GET's ETag without its quotes. A test compares all headers. The body is compared only if a line
 * describes it.
 */
import { fieldsOf } from "../../values/unknown.ts";

export interface ExchangeRequest {
  readonly method: string;
  readonly target: string;
}

export interface Exchange {
  /** The source in messages: `process.http-script:12`. */
  readonly where: string;
  readonly rule?: string;
  readonly requests: readonly ExchangeRequest[];
  /** Alternative values by lower-case name. */
  readonly requestHeaders: Readonly<Record<string, readonly string[]>>;
  /** Target of the plain GET with the same expected response. */
  readonly as?: string;
  /** Expects the first `count` entries of list `name` in the response to a GET of `of`. */
  readonly first?: { readonly count: number; readonly name: string; readonly of: string };
  readonly clock?: number;
  readonly without: readonly string[];
  readonly storeFails: boolean;
  /** 0 if `as` or `first` is set. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly lacks: readonly string[];
  readonly body?: { readonly text: string } | { readonly object: string };
  readonly values: readonly { readonly path: string; readonly json: string }[];
}

type Draft = { -readonly [Name in keyof Exchange]: Exchange[Name] } & {
  requests: ExchangeRequest[];
  requestHeaders: Record<string, string[]>;
  without: string[];
  headers: Record<string, string>;
  lacks: string[];
  values: { path: string; json: string }[];
};

type Take = (draft: Draft, parts: readonly [string, string, string]) => unknown;

/** The first match wins. */
const LINES: readonly (readonly [RegExp, Take])[] = [
  [/^& (\S+)$/, (draft, [rule]) => (draft.rule = rule)],
  [/^([A-Z]+) (\S+)$/, (draft, [method, target]) => draft.requests.push({ method, target })],
  [/^> ([\w-]+): ?(.*)$/, (draft, [name, value]) => (draft.requestHeaders[name.toLowerCase()] ??= []).push(value)],
  [/^as (\S+)$/, (draft, [target]) => (draft.as = target)],
  [/^first (\d+) (\w+) of (\S+)$/, (draft, [count, name, of]) => (draft.first = { count: Number(count), name, of })],
  [/^@ clock \+(\d+)$/, (draft, [ms]) => (draft.clock = Number(ms))],
  [/^@ without (\S+)$/, (draft, [key]) => draft.without.push(key)],
  [/^@ store fails$/, (draft) => (draft.storeFails = true)],
  [/^(\d{3})$/, (draft, [status]) => (draft.status = Number(status))],
  [/^= object (\S+)$/, (draft, [object]) => (draft.body = { object })],
  [/^= (.*)$/, (draft, [text]) => (draft.body = { text })],
  [/^\? (\S+) = (.*)$/, (draft, [path, json]) => draft.values.push({ path, json })],
  [/^! ([\w-]+)$/, (draft, [name]) => draft.lacks.push(name.toLowerCase())],
  [/^([A-Za-z][\w-]*): (.*)$/, (draft, [name, value]) => (draft.headers[name.toLowerCase()] = value)],
];

/** Throws if a line is invalid, or a block lacks a request or a response. */
export function parseExchanges(name: string, text: string): Exchange[] {
  const found: Exchange[] = [];
  let draft: Draft | undefined;
  const finish = () => {
    if (draft === undefined) return;
    const hasResponse = draft.status !== 0 || draft.as !== undefined || draft.first !== undefined;
    if (draft.requests.length === 0 || !hasResponse) throw new Error(`${draft.where}: no request or no response`);
    found.push(draft);
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
  return found;
}

function takeLine(draft: Draft, line: string, where: string): void {
  for (const [pattern, take] of LINES) {
    const match = pattern.exec(line);
    if (match === null) continue;
    take(draft, [match[1] ?? "", match[2] ?? "", match[3] ?? ""]);
    return;
  }
  throw new Error(`${where}: not a line of an exchange: ${line}`);
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

export interface Filling {
  readonly tag?: string | undefined;
  readonly unique: string;
  readonly installationId: string;
}

/** Replaces the placeholders of a line. */
export function fill(text: string, filling: Filling): string {
  return text.replace(/\{(tag|unique|installationId)\}/g, (_, name: keyof Filling) => filling[name] ?? "");
}

/** Returns every combination of alternative header values. */
export function headersOf({ requestHeaders }: Exchange): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(requestHeaders)) {
    all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return all;
}

export function usesTag({ requestHeaders }: Exchange): boolean {
  return Object.values(requestHeaders).some((values) => values.some((value) => value.includes("{tag}")));
}

/** Returns the target of the block's plain GET. */
export function plainTargetOf({ as, first }: Exchange, { target }: ExchangeRequest): string {
  return as ?? first?.of ?? target;
}

/** Returns the value at a dotted path; undefined if it does not exist. */
export function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split(".")) value = fieldsOf(value)[name];
  return value;
}
