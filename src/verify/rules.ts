/** The rules that need a whole deployment, and the list of all rules for `--rules` and the documentation. */
import { BODY } from "../judge/bodies.ts";
import { CLOCK } from "../judge/clock.ts";
import { COMMON } from "../judge/common.ts";
import { ERRORS } from "../judge/errors.ts";
import { EXCHANGE_RULES } from "../judge/exchanges/rules.ts";
import { FILE } from "../judge/files.ts";
import { GOOD_RESPONSE } from "../judge/good.ts";
import { family, type Rule } from "../judge/report.ts";

const HTTP = "docs/spec/api.md#http";

export const EXCHANGE = family(
  "exchange",
  {
    completes: [
      "every request gets a whole response in time",
      "find out why the front or its origin closes, stalls or cuts the connection, or allow more time",
    ],
    api: [
      "some route responds with JSON, as 200 or as 503",
      "check the base URL and its prefix, and that the front there leads to the store or to a shim of Noonmark",
    ],
    judged: ["every response can be judged", "look at the body; if it is right, report this as a defect of Noonmark"],
  },
  HTTP,
);

export const REVISION = family("revision", {
  bytes: [
    "responses with one ETag have the same body, apart from generatedAt and telemetry's status",
    "compute the tag from the whole body except generatedAt, and let the front compute none",
  ],
});

export const HEAD = family(
  "method",
  {
    head: [
      "HEAD has the status and the headers of GET",
      "let the front serve HEAD from the stored GET, with its Content-Length",
    ],
    "head-not-modified": [
      "HEAD with a matching If-None-Match is 304 if GET is",
      "evaluate If-None-Match for HEAD as for GET",
    ],
  },
  HTTP,
);

export const OBSERVATIONS_WALK = family("observations-walk", {
  "goes-on": [
    "each page begins after the cursor of its request, and no receipt comes twice",
    "read strictly after the cursor, and put the whole query into the cache key",
  ],
  ends: [
    "the last page has no nextCursor, and no item follows its last one",
    "give nextCursor only if another item exists",
  ],
  item: [
    "a page after any item's cursor has the items that followed it before",
    "compute each item's cursor from its own position",
  ],
  again: ["a page of the past never changes", "never change or drop a receipt that was published"],
});

export const ACTIVITY_WALK = family("activity-walk", {
  "goes-on": [
    "each page continues below the previous one, and no event comes twice",
    "bind the cursor to category and key of the last event, and put the whole query into the cache key",
  ],
  order: [
    "events descend from page to page, by time and then by position",
    "order all events by time, then by position",
  ],
  size: [
    "a page that has a nextCursor is full, and one without is the last",
    "give nextCursor exactly if an older event exists",
  ],
  smaller: ["smaller pages hold the same events", "end a page only at its limit"],
  categories: [
    "the category all has exactly the events of the three others",
    "fill every category from one list of events",
  ],
  misuse: [
    "another category's cursor, or the observations', is refused by all and measurement, and indexer_unavailable in the chain's own",
    "bind the cursor to its category",
  ],
});

const ONE_CYCLE = "publish all responses of a receipt in one cycle, and let no cache keep one longer than the others";
const ONE_FACTS = "compute both ranges from the same facts";
const ONE_PASS = "publish all views of the chain from one pass, and let no cache keep one longer than the others";

export const AGREES = family("agreement", {
  installation: [
    "every route shows the configured installation",
    "configure one installation for all routes",
    "docs/spec/api.md#installations",
  ],
  "telemetry-process": [
    "telemetry and process describe one receipt",
    ONE_CYCLE,
    "docs/spec/api.md#process-measurement",
  ],
  "telemetry-by-installation": [
    "telemetry is the configured installation's telemetry",
    ONE_CYCLE,
    "docs/spec/api.md#telemetry",
  ],
  "statistics-days": ["7d and 30d hold the same days", ONE_FACTS, "docs/spec/api.md#statistics-rules"],
  "statistics-lifetime": [
    "7d and 30d hold the same lifetime and records",
    ONE_FACTS,
    "docs/spec/api.md#statistics-rules",
  ],
  "observations-telemetry": [
    "the newest observation is telemetry's receipt",
    ONE_CYCLE,
    "docs/spec/api.md#observations",
  ],
  "process-onchain": ["the builder's anchor is the safe Core state", ONE_PASS, "docs/spec/api.md#process-builder"],
  "onchain-settlements": [
    "the newest settlement is the Core's frontier",
    ONE_PASS,
    "docs/spec/api.md#settlements-rules",
  ],
  "settlements-versions": ["v4 and v3 hold the same history", ONE_PASS, "docs/spec/api.md#settlements-legacy"],
  "settlements-ranges": ["a longer range holds all of a shorter one", ONE_PASS, "docs/spec/api.md#settlements"],
  "settlements-queue": ["queue=1 is range=now with the projection", ONE_PASS, "docs/spec/api.md#settlements"],
  "queue-process": [
    "the queue's projection is the active submission",
    "publish settlements when the submission changes",
    "docs/spec/api.md#settlements-queue",
  ],
  "settlements-activity": [
    "the settlements of activity are those of the history",
    ONE_PASS,
    "docs/spec/api.md#activity",
  ],
  "chain-binding": [
    "every view reads one deployment",
    "configure one deployment for all views",
    "docs/spec/api.md#onchain",
  ],
});

export const EDGE = family("edge", {
  encoding: [
    "an encoded response decodes to the plain one, and has the weak form of its tag and Vary: Accept-Encoding",
    "weaken the ETag if the front compresses, and key by Accept-Encoding",
    "docs/spec/api.md#malformed-http",
  ],
  "encoding-mixed": [
    "after an encoded response a plain reader gets a plain one with the strong tag",
    "key stored copies by Accept-Encoding",
    "docs/spec/api.md#malformed-http",
  ],
  "encoded-tag": [
    "the weak tag of an encoded response gets 304",
    "evaluate If-None-Match by weak comparison",
    "docs/spec/api.md#caching",
  ],
  "query-key": [
    "a bad query is refused after a good one, and a good one is accepted after a bad one",
    "put the whole query into the cache key, and keep no 400",
    "docs/spec/api.md#query",
  ],
  "error-kept": [
    "no error comes from a cache",
    "give errors no lifetime in the cache: a stored 404 outlives its cause",
    "docs/spec/api.md#errors",
  ],
});

export const KEPT = family("kept", {
  "too-long": [
    "a stored response follows a change within its edge seconds",
    "let the cache keep it for min(edge seconds, valid-until − now), give it no default TTL, and serve nothing stale",
    "docs/spec/api.md#caching",
  ],
  forged: [
    "no header of one reader's request reaches another reader",
    "have the front drop readers' X- headers before its request to the origin",
    "docs/spec/publishing.md#caches",
  ],
});

export const WATCH = family("watch", {
  back: [
    "no instant, height, frontier or total goes back from one response to the next",
    "let all nodes of the front and all publishers follow one store, and let no cache serve a response longer than its edge seconds",
    "docs/spec/publishing.md#nothing-goes-back",
  ],
});

const judged = [COMMON, ERRORS, GOOD_RESPONSE, BODY, CLOCK, FILE];
const own = [EXCHANGE, REVISION, HEAD, OBSERVATIONS_WALK, ACTIVITY_WALK, AGREES, EDGE, KEPT, WATCH];

export const ALL_RULES: readonly Rule[] = [
  ...judged.flatMap((rules) => Object.values<Rule>(rules)),
  ...EXCHANGE_RULES,
  ...own.flatMap((rules) => Object.values<Rule>(rules)),
];
