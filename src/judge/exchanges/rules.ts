/** The rules that exchanges refer to. */
import { ALLOWED_METHODS } from "../../http/common-headers.ts";
import { ACTIVITY_CURSOR_LENGTH, ACTIVITY_LIMIT } from "../../resources/activity/route.ts";
import { OBSERVATIONS_LIMIT } from "../../resources/observations/route.ts";
import { family, type Rule } from "../report.ts";

const HTTP = "docs/spec/api.md#http";
const REFUSE =
  "judge the whole query behind the cache and put it into the cache key: no front may drop, sort or decode parameters";
const EVALUATE = "evaluate If-None-Match by weak comparison over the whole list, in the front and behind it";

export const NOT_MODIFIED = family("not-modified", {
  exact: ["the exact tag gets 304", EVALUATE],
  weak: ["the weak form of the tag gets 304", EVALUATE],
  list: ["a list with the tag in it gets 304", EVALUATE],
  any: ["the value * gets 304", EVALUATE],
  dated: [
    "the exact tag gets 304 even with If-Modified-Since",
    "ignore If-Modified-Since if If-None-Match is present (RFC 9110, 13.1.3), in the front and behind it",
  ],
  other: ["another tag gets 200 with the whole body", "compare whole tags, and only with the current one"],
  headers: [
    "a 304 has the Cache-Control of its 200, and its ETag except for the settlements",
    "let the front send the origin's headers on a 304; the settlements' 304 has no ETag",
  ],
  never: [
    "telemetry, modules, observations, onchain and activity are never 304",
    "strip If-None-Match and If-Modified-Since before the cache and towards the storage",
  ],
});

const QUERY = family("query", {
  accepted: [
    "a good query is accepted in every form",
    "decode names and values as application/x-www-form-urlencoded, in any order, and ignore empty pieces",
  ],
  missing: ["a missing or empty value is refused", REFUSE],
  value: ["a value outside the list is refused", REFUSE],
  repeated: ["a repeated parameter is refused", REFUSE],
  unknown: ["a parameter that the route does not know is refused, even if it is empty", REFUSE],
  undecodable: ["a piece that is not percent-encoded UTF-8 is refused", REFUSE],
  queue: ["queue is exactly 1, and is accepted only with range=now", REFUSE],
  ignored: ["a row that reads no query accepts any", "let the front pass any query of these rows, or drop it"],
});

/** Limits of a page of observations, and of one of events. */
const ITEMS = OBSERVATIONS_LIMIT;
const EVENTS = ACTIVITY_LIMIT;

const OBSERVATIONS_QUERY = family("observations-query", {
  limit: [
    `limit is a number clamped to ${ITEMS.minimum} to ${ITEMS.maximum}, and ${ITEMS.default} if it is not an integer`,
    `convert limit as a floating-point number, clamp integers, use ${ITEMS.default} otherwise; put the whole query into the cache key`,
  ],
  cursor: [
    "a cursor that does not decode to a positive receipt position is refused",
    "refuse it behind the cache, and put the whole query into the cache key",
  ],
  unknown: ["unknown parameters are not refused", "read only cursor and limit"],
});

const ACTIVITY_QUERY = family("activity-query", {
  accepted: [
    "category, limit and cursor are accepted in every form",
    "decode names and values as application/x-www-form-urlencoded",
  ],
  category: ["a category outside the list is refused", REFUSE],
  limit: [
    `limit is a canonical decimal integer from ${EVENTS.minimum} to ${EVENTS.maximum}; any other value is refused`,
    REFUSE,
  ],
  cursor: [
    `a cursor is 1 to ${ACTIVITY_CURSOR_LENGTH} characters of letters, digits, _ and -; any other value is refused`,
    REFUSE,
  ],
  repeated: ["a repeated parameter is refused", REFUSE],
  unknown: ["a parameter that the route does not know is refused, even if it is empty", REFUSE],
  undecodable: ["a piece that is not percent-encoded UTF-8 is refused", REFUSE],
});

const METHOD = family(
  "method",
  {
    refused: ["POST and PUT are 405 method_not_allowed", "pass other methods to the origin, or respond as it does"],
    options: [
      "OPTIONS is 204 with the CORS headers on every path",
      "let the front pass OPTIONS or send 204 with the three Access-Control headers",
    ],
    allow: [`a 405 names ${ALLOWED_METHODS.join(", ")} in Allow`, "let the front pass Allow"],
  },
  HTTP,
);

const PATH = family(
  "path",
  {
    unknown: ["an unknown path is 404 not_found", "pass unknown paths to the origin, or respond as it does"],
    slash: ["a path that ends with a slash is unknown", "let the front neither add nor drop slashes"],
    storage: [
      "the storage's keys are not paths",
      "let the front map the API's paths to keys, not pass paths through to the bucket",
    ],
    "malformed-id": [
      "a malformed installation id is 400 invalid_installation_id",
      "decode the id once, and judge it behind the front",
    ],
    "unknown-id": [
      "an unknown installation gets 200: it is offline and has no observations",
      "pass every id unchanged, and put the whole path into the cache key",
      "docs/spec/api.md#installations",
    ],
  },
  HTTP,
);

const IGNORED = family(
  "edge",
  {
    range: [
      "Range is not evaluated: the whole body, 200",
      "turn range requests off in the front, and strip Range towards the storage",
    ],
    dates: [
      "If-Modified-Since and If-Unmodified-Since are not evaluated",
      "strip both before the cache and towards the storage",
    ],
    "if-match": ["If-Match is not evaluated", "strip If-Match before the cache and towards the storage"],
  },
  HTTP,
);

/** The rule for every 405. */
export const ALLOW: Rule = METHOD.allow;

export const EXCHANGE_RULES: readonly Rule[] = [
  NOT_MODIFIED,
  QUERY,
  OBSERVATIONS_QUERY,
  ACTIVITY_QUERY,
  METHOD,
  PATH,
  IGNORED,
].flatMap((rules) => Object.values<Rule>(rules));

/** Throws if there is no rule with this name. */
export function exchangeRule(name: string): Rule {
  const rule = EXCHANGE_RULES.find((one) => one.name === name);
  if (rule === undefined) throw new Error(`no rule is called ${name}`);
  return rule;
}
