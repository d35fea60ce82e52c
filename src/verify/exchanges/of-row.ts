/**
 * Derives exchanges from a row of the table: queries in every form, If-None-Match, methods, paths, ids, and headers
 * that no route evaluates. Contracts add exchanges that cannot be derived.
 */
import { PREFLIGHT_HEADERS } from "../../http/common-headers.ts";
import { plainTargets, routeContract } from "../../resources/contracts.ts";
import type { NamedFile, NamedRoute, NamedRow } from "../../resources/table.ts";
import { type Exchange, parseExchanges } from "./format.ts";

/** Targets contain the placeholders of the row's path. */
export function exchangesOf(row: NamedRow): Exchange[] {
  const blocks = [
    ...methods(row.path),
    ...ignoredQueries(row),
    ...plainTargets(row, "{installationId}").flatMap((target) => conditions(row, target)),
    ...(row.kind === "route" ? routeBlocks(row) : []),
  ];
  return parseExchanges(`exchanges of ${row.name}`, blocks.join("\n\n"));
}

function routeBlocks(row: NamedRoute): string[] {
  return [
    ...paths(row.path),
    ...(row.query === "listed" ? listedQueries(row) : []),
    ...plainTargets(row, "{installationId}").flatMap((target) => neverEvaluated(target, row.etag)),
    routeContract(row.name).exchanges ?? "",
  ];
}

function withQuery(path: string, query: string): string {
  return query === "" ? path : `${path}?${query}`;
}

const gets = (targets: readonly string[]) => targets.map((target) => `GET ${target}`).join("\n");
const refused = (rule: string, targets: readonly string[], status: number, code: string) =>
  `& ${rule}\n${gets(targets)}\n${status}\n= {"error":"${code}"}`;

function methods(path: string): string[] {
  const preflight = Object.entries(PREFLIGHT_HEADERS).map(([name, value]) => `${name}: ${value}`);
  const options = `& method/options\nOPTIONS ${path}\nOPTIONS ${path}?a`;
  const response = `204\n${preflight.join("\n")}`;
  return [
    `& method/refused\nPOST ${path}\nPUT ${path}\n405\nAllow: GET, HEAD, OPTIONS\n= {"error":"method_not_allowed"}`,
    `${options}\n${response}`,
    `${options}\n> Origin: https://reader.example\n> Access-Control-Request-Method: GET\n${response}`,
  ];
}

const MALFORMED_IDS = ["", "%20", "a%2Fb", "a+b", "a%00", "%zz", "%FF", "%C3%A9", "$1", "a,b", "~", "x".repeat(129)];

function paths(path: string): string[] {
  const at = (id: string) => path.replace("{installationId}", id);
  const bad = [...MALFORMED_IDS.map(at), `${at("a%2Fb")}?cursor=!`, `${at("%zz")}?limit=5`];
  return [
    refused("path/unknown", [`${path}/`, `${path}/?range=7d`, `${path}.json`], 404, "not_found"),
    ...(path === at("") ? [] : [refused("path/malformed-id", bad, 400, "invalid_installation_id")]),
  ];
}

const NEVER_READ = ["a", "a=", "range=7d", "a=1&a=1", "limit=0", "cursor=!", "%FF", "%zz=%", "queue=1&range=now", "&&"];

function ignoredQueries({ path, query }: NamedRow): string[] {
  if (query !== "ignored") return [];
  return [`& query/accepted\n${gets(NEVER_READ.map((one) => `${path}?${one}`))}\nas ${path}`];
}

const MATCHING = [
  '"{tag}"',
  ' "{tag}"',
  'W/"{tag}"',
  "*",
  '"x", "{tag}"',
  '"{tag}","x"',
  '"x",W/"{tag}" ,"y"',
  '"a,b", "{tag}"',
  ', "{tag}"',
  'nonsense, "{tag}"',
];
const OTHERS = [
  '"x"',
  'W/"x"',
  '"x", "y"',
  '"{tag}-x"',
  "{tag}",
  'w/"{tag}"',
  "'{tag}'",
  '"x, {tag}"',
  '"{tag}',
  '{tag}"',
  '"*"',
  '"{tag}"x',
];
const PAST = "Thu, 01 Jan 1970 00:00:00 GMT";
const FUTURE = "Fri, 31 Dec 9999 23:59:59 GMT";

function conditions(row: NamedRow, target: string): string[] {
  const { conditional, notModifiedTag, cacheControl } = row;
  const conditionalGet = (rule: string, fields: readonly string[]) =>
    [`& not-modified/${rule}`, `GET ${target}`, ...fields.map((field) => `> If-None-Match: ${field}`)].join("\n");
  if (!conditional) {
    const blocks = [`${conditionalGet("never", ["*"])}\nas ${target}`];
    const hasTag = row.kind === "route" && row.etag;
    return hasTag ? [...blocks, `${conditionalGet("never", ['"{tag}"', 'W/"{tag}"'])}\nas ${target}`] : blocks;
  }
  const kept = [
    ...(notModifiedTag ? ["ETag"] : []),
    ...(cacheControl === null ? [] : ["Cache-Control"]),
    ...(row.kind === "route" && row.sourceHeaders ? ["X-Service-Settlement-Source"] : []),
  ];
  const lacks =
    row.kind === "file" && !row.cors ? ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers"] : [];
  const response = ["304", ...kept.map((name) => `${name}: {plain}`), ...lacks.map((name) => `! ${name}`)].join("\n");
  return [
    `${conditionalGet("matching", MATCHING)}\n${response}`,
    `${conditionalGet("matching", ['"{tag}"'])}\n> If-Modified-Since: ${PAST}\n> If-Modified-Since: ${FUTURE}\n${response}`,
    `${conditionalGet("other", OTHERS)}\nas ${target}`,
  ];
}

/** No route and no cache may evaluate these headers. */
function neverEvaluated(target: string, hasTag: boolean): string[] {
  const asks = [
    "Range: bytes=0-9",
    `Range: bytes=0-9\n> If-Range: ${hasTag ? '"{tag}"' : '"x"'}`,
    `If-Modified-Since: ${FUTURE}`,
    `If-Unmodified-Since: ${PAST}`,
    'If-Match: "noonmark-verify"',
  ];
  return asks.map((header) => `& edge/ignored\nGET ${target}\n> ${header}\nas ${target}`);
}

/** Returns other spellings of the same query. */
export function waysOfWriting(query: string): string[] {
  if (query === "") return ["", "&", "&&"];
  const pieces = query.split("&");
  const encoded = (text: string, at: number) =>
    `${text.slice(0, at)}%${text.charCodeAt(at).toString(16).toUpperCase()}${text.slice(at + 1)}`;
  return [
    `${query}&`,
    `&${query}`,
    pieces.map((piece) => encoded(piece, 0)).join("&"),
    encoded(query, query.length - 1),
    ...(pieces.length > 1 ? [pieces.toReversed().join("&")] : []),
  ];
}

const UNKNOWN = ["a", "a=", "a=1", "limit=5", "cursor=MQ", "=", "range%3D7d", "nocache=1"];
const VALUES = ["now", "24h", "7d", "30d", "1h", "all", "lifetime", "0"];

function listedQueries({ path, objects, queryError }: NamedRoute): string[] {
  const queries = objects.map(({ query }) => query);
  const accepted = queries.map((query) => {
    const targets = waysOfWriting(query).map((written) => `${path}?${written}`);
    return `& query/accepted\n${gets(targets)}\nas ${withQuery(path, query)}`;
  });
  const bad = queries.includes("") ? BAD_BARE_QUERIES : badQueries(queries);
  const targets = bad.map((query) => withQuery(path, query));
  return [...accepted, refused("query/refused", targets, 400, queryError ?? "invalid_query")];
}

const BAD_BARE_QUERIES = [...UNKNOWN, "range=7d", "queue=1", "?", "&a&", "%FF", "%", "a=%C3%28"];

function badQueries(queries: readonly string[]): string[] {
  const plain = queries.filter((query) => !query.includes("&"));
  const [first = "", second = first] = plain;
  const [name = "", value = ""] = first.split("=");
  const hasQueue = plain.length < queries.length;
  const foreign = VALUES.filter((one) => !plain.includes(`${name}=${one}`));
  const values = [
    value.toUpperCase(),
    `${value}+`,
    `+${value}`,
    `%20${value}`,
    `${value}%00`,
    `=${value}`,
    `${value};x`,
  ];
  return [
    "",
    "&",
    name,
    `${name}=`,
    "x=1",
    ...[...foreign, ...values].map((one) => `${name}=${one}`),
    `${first}&${first}`,
    `${first}&${second}`,
    `${first}&${name}=`,
    `${name}&${first}`,
    ...UNKNOWN.map((one) => `${first}&${one}`),
    `a=1&${first}`,
    `${name.toUpperCase()}=${value}`,
    `${name}[]=${value}`,
    ...plain.slice(1).map((one) => `${one}&x`),
    `${name}=%FF`,
    `${first}&%FF`,
    `${first}&a=%zz`,
    `${first}%`,
    ...(hasQueue ? badQueues(plain) : [`${first}&queue=1`]),
  ];
}

function badQueues(plain: readonly string[]): string[] {
  const values = ["", "=", "=0", "=2", "=01", "=true", "=1&queue=1", "=1&x=1"];
  const others = plain.filter((query) => query !== "range=now").map((query) => `${query}&queue=1`);
  return [...values.map((value) => `range=now&queue${value}`), ...others, "range=24h&queue=0", "queue=1"];
}

/** Exchanges that do not belong to a row. */
const EVERYWHERE = `
& path/unknown
${gets("v1 v1/public v1/public/ v9/public/process v1/public/installations v1/public/process v4/public/processes {unique} {unique}?range=7d".split(" ").map((path) => `/${path}`))}
404
= {"error":"not_found"}

& path/unknown
GET /{unique}
> If-None-Match: *
404
= {"error":"not_found"}

& path/unknown
${gets("installations installations/256/0 standby.json v2/public/stats/7d v4/public/settlements/now v1/public/activity/all private/status.json".split(" ").map((path) => `/${path}`))}
404
= {"error":"not_found"}

${methods("/{unique}").join("\n\n")}
`;

export function exchangesEverywhere(): Exchange[] {
  return parseExchanges("exchanges everywhere", EVERYWHERE);
}

/** False for assets, which are judged with the page that loads them. */
export function isExchanged(row: NamedRow): row is NamedRoute | NamedFile {
  return row.kind === "route" || row.contentType !== null;
}
