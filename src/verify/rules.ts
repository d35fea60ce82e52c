/** The rules of `noonmark verify`: what each asserts, and the section of the specification that says so. */

/** A section of the specification. A test checks that it exists. */
type Clause = `docs/spec/${string}.md#${string}`;

const HTTP = "docs/spec/api.md#http";
const ERRORS = "docs/spec/api.md#errors";
const CACHING = "docs/spec/api.md#caching";
const QUERY = "docs/spec/api.md#query";
const FUTURE = "docs/spec/api.md#future";
const PROOF = "docs/spec/log.md#proof";
const FILES = "docs/spec/people.md#files";

const TABLE = {
  "exchange/complete": ["every request gets a whole response in time, which the rules can read", HTTP],
  "exchange/api": ["some route responds with JSON, as 200 or as 503", HTTP],
  "headers/cors": ["every response has both CORS headers, except for pages", HTTP],
  "headers/content": ["content type, length and encoding are those of the body; 204, 304 and HEAD have none", HTTP],
  "headers/foreign": ["no header is sent twice, and none of a storage, session or cache reaches a reader", HTTP],
  "headers/age": ["Age is at most the time for which a cache may keep the response", CACHING],
  "errors/body": ['an error is exactly {"error": code}, with a status and a code of the API', ERRORS],
  "errors/headers": ["an error has its own Cache-Control, Retry-After and Allow, and no validators", ERRORS],
  "errors/kept": ["no cache keeps an error, except a published 503 for one second", ERRORS],
  "answer/status": ["a good request gets 200; only statistics may get their own 503", HTTP],
  "answer/body": [
    "the body is JSON that follows its schema and the rules between its fields",
    "docs/spec/api.md#values",
  ],
  "answer/asked-for": ["installation, range, category and limit are those of the request", QUERY],
  "answer/headers": ["Cache-Control, ETag (strong, the revision) and source headers are the route's", CACHING],
  "clock/online": ["a measurement is online for 120 s after its receipt, and then stale", "docs/spec/api.md#telemetry"],
  "clock/ahead": ["no instant of an event is in the future", FUTURE],
  "clock/window": [
    "a window contains the present, and a silent Reporter makes the queue stale",
    "docs/spec/api.md#queue-state",
  ],
  "revision/bytes": ["one ETag means one body, apart from generatedAt and telemetry's status", CACHING],
  "not-modified/matching": ["a matching If-None-Match gets 304: exact, weak, in a list, *", CACHING],
  "not-modified/other": ["another tag gets the whole 200", CACHING],
  "not-modified/never": ["a route without conditional requests never gives 304", CACHING],
  "not-modified/headers": ["a 304 has the ETag that its row says, and nothing of a body", CACHING],
  "query/accepted": ["a good query is accepted in every form, and any query by a row that reads none", QUERY],
  "query/refused": ["each kind of bad query is refused with the route's code", QUERY],
  "query/limit": ["limit has the default, the bounds and the form of its route", QUERY],
  "method/refused": ["other methods are 405 method_not_allowed", HTTP],
  "method/options": ["OPTIONS is 204 with the CORS headers on every path", HTTP],
  "method/head": ["HEAD has the status and the headers of GET", HTTP],
  "path/unknown": ["unknown paths, the storage's keys and a slash at the end are 404 not_found", HTTP],
  "path/malformed-id": ["a malformed installation id is 400 invalid_installation_id", HTTP],
  "path/unknown-id": ["an unknown installation is offline and has no observations", "docs/spec/api.md#installations"],
  "edge/ignored": ["Range, If-Modified-Since, If-Unmodified-Since and If-Match are not evaluated", HTTP],
  "edge/encoding": [
    "an encoded response is the plain one, with a weak tag and Vary",
    "docs/spec/api.md#malformed-http",
  ],
  "edge/key": ["a cache keeps good and bad queries apart", QUERY],
  "kept/too-long": ["a stored response follows a change within its edge seconds", CACHING],
  "kept/forged": ["no header of one reader's request reaches another reader", "docs/spec/publishing.md#caches"],
  "files/headers": ["a file has status, headers and security policy of its row", FILES],
  "files/body": ["each file and each asset has its own content, and no page an inline script", FILES],
  "between/receipt": ["telemetry, process and observations show one receipt", "docs/spec/api.md#process-measurement"],
  "between/statistics": ["7d and 30d agree on days, lifetime and records", "docs/spec/api.md#statistics-rules"],
  "between/chain": ["all views of the chain show one state of one deployment", "docs/spec/api.md#onchain"],
  "between/settlements": ["ranges, versions, queue and activity agree", "docs/spec/api.md#settlements-rules"],
  "history/goes-on": [
    "each page continues the one before it, and nothing comes twice",
    "docs/spec/api.md#observations",
  ],
  "history/ends": ["a page has nextCursor exactly if another item exists", "docs/spec/api.md#observations"],
  "history/again": ["a page of the past never changes, whichever cursor leads to it", "docs/spec/api.md#observations"],
  "history/categories": ["all has exactly the events of the three categories", "docs/spec/api.md#activity"],
  "history/cursor": ["another category's cursor is refused", "docs/spec/api.md#activity"],
  "watch/back": ["no instant, height or total goes back", "docs/spec/publishing.md#nothing-goes-back"],
  "log/log_unsigned": ["a public log has a checkpoint with a valid signature of the given key", PROOF],
  "log/log_malformed": ["every file of the log has its form", PROOF],
  "log/log_incomplete": ["every file that the checkpoint needs can be read", PROOF],
  "log/log_damaged": ["every tile and entry hashes into the signed root", PROOF],
  "log/log_rewritten": ["the log still begins with all entries that it had before: keep both checkpoints", PROOF],
  "log/log_restarted": ["the log has the name and number that it had before", PROOF],
  "log/entry_missing": ["each receipt of the log is an observation, and each observation an entry", PROOF],
  "log/log_not_replayable": ["each entry is a record that intake accepts", PROOF],
  "log/replayed": ["a served body is the one that the log gives", "docs/spec/log.md#replay"],
  "log/reconciled": ["a settled batch has the work of its rounds in the log", "docs/spec/log.md#reconciliation"],
} as const satisfies Record<string, readonly [asserts: string, clause: Clause]>;

export type RuleName = keyof typeof TABLE;

export interface Rule {
  readonly asserts: string;
  readonly clause: Clause;
}

export const RULES = new Map<string, Rule>(
  Object.entries(TABLE).map(([name, [asserts, clause]]) => [name, { asserts, clause }]),
);

/** Throws `RangeError` if no rule has this name. */
export function ruleName(name: string): RuleName {
  if (!RULES.has(name)) throw new RangeError(`no rule is called ${name}`);
  return name as RuleName;
}
