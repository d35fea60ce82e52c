// Written by `noonmark cdn cloudflare`. docs/cdn-cloudflare.md says how to use it.
var StoreConflict = class extends Error {
    name = "StoreConflict";
  },
  StoreUnavailable = class extends Error {
    name = "StoreUnavailable";
    code = "store_unavailable";
    hint;
    isFinal;
    constructor(message, options = {}) {
      super(message, options), (this.hint = options.hint), (this.isFinal = options.isFinal ?? !1);
    }
  };
var StoreDamaged = class extends StoreUnavailable {
  name = "StoreDamaged";
  code = "store_damaged";
  key;
  tag;
  constructor(key, tag, because, options) {
    super(`${key} is damaged: ${because}`, options), (this.key = key), (this.tag = tag);
  }
};
function decodedAs(key, object, decode3) {
  try {
    return decode3(object);
  } catch (cause) {
    throw new StoreDamaged(key, object.tag, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
var NAME = "sha256",
  SEAL_BYTES = NAME.length + 43;
function sealedHead({ metadata }) {
  return `${Object.keys(metadata)
    .toSorted()
    .map(
      (name) => `${name}: ${metadata[name]}
`
    )
    .join("")}
`;
}
function withSeal(object, digest) {
  return { ...object, metadata: { ...object.metadata, [NAME]: digest } };
}
function withoutSeal(stored2) {
  let { [NAME]: claimed, ...metadata } = stored2.metadata;
  return claimed === void 0 ? { object: stored2 } : { object: { ...stored2, metadata }, claimed };
}
function assertSeal(key, object, claimed, digest) {
  if (claimed !== digest) throw new StoreDamaged(key, object.tag, "body or metadata are not those that were put");
}
var S3_METADATA_BYTES = 2048,
  OWN_METADATA_BYTES = 24 + SEAL_BYTES,
  MAX_METADATA_BYTES = S3_METADATA_BYTES - OWN_METADATA_BYTES,
  MAX_BODY_BYTES = 32 << 20,
  MAX_KEY_BYTES = 1024;
function checkKey(key) {
  let fault =
    key === ""
      ? "is empty"
      : new TextEncoder().encode(key).length > MAX_KEY_BYTES
        ? `is longer than ${MAX_KEY_BYTES} bytes`
        : key.isWellFormed()
          ? hasControl(key)
            ? "has a control character"
            : key.split("/").some((segment) => segment === "" || segment === "." || segment === "..")
              ? "has an empty, . or .. segment"
              : void 0
          : "is not well-formed Unicode";
  if (fault !== void 0) throw new TypeError(`object key ${JSON.stringify(key.slice(0, 100))} ${fault}`);
}
function checkObject(object) {
  if (object.body.length > MAX_BODY_BYTES)
    throw new TypeError(`a body of ${object.body.length} bytes is above ${MAX_BODY_BYTES}`);
  let bytes = 0;
  for (let [name, value] of Object.entries(object.metadata)) {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new TypeError(`metadata name ${JSON.stringify(name)} is not [a-z0-9-]`);
    if (!isFieldValue(value)) throw new TypeError(`metadata ${name} is not printable ASCII without blanks at its ends`);
    bytes += name.length + value.length;
  }
  if (bytes > MAX_METADATA_BYTES) throw new TypeError(`metadata of ${bytes} bytes, ${MAX_METADATA_BYTES} at most`);
  if (!isFieldValue(object.contentType)) throw new TypeError("contentType is not printable ASCII");
}
function isFieldValue(text) {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}
function hasControl(text) {
  return /\p{Cc}/u.test(text);
}
async function seal(object) {
  return withSeal(object, await digestOf(object));
}
async function unseal(key, stored2) {
  let { object, claimed } = withoutSeal(stored2);
  return (claimed !== void 0 && assertSeal(key, object, claimed, await digestOf(object)), object);
}
async function digestOf(object) {
  let head = new TextEncoder().encode(sealedHead(object)),
    bytes = new Uint8Array(head.length + object.body.length);
  bytes.set(head), bytes.set(object.body, head.length);
  let digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
var LIMIT_MS = 3500,
  R2Store = class {
    name;
    #bucket;
    #root;
    constructor(bucket, prefix = "") {
      (this.name = `r2:${prefix}`), (this.#bucket = bucket), (this.#root = prefix === "" ? "" : `${prefix}/`);
    }
    async get(key) {
      checkKey(key);
      let stored2 = await limited(`get ${this.name}/${key}`, async () => {
        let found = await this.#bucket.get(this.#root + key);
        if (found !== null)
          return {
            body: new Uint8Array(await found.arrayBuffer()),
            contentType: found.httpMetadata?.contentType ?? "",
            metadata: found.customMetadata ?? {},
            tag: found.etag,
          };
      });
      return stored2 === void 0 ? void 0 : unseal(key, stored2);
    }
    async put(key, object, condition) {
      checkKey(key), checkObject(object);
      let what = `put ${this.name}/${key}`,
        { metadata } = await seal(object),
        options = { httpMetadata: { contentType: object.contentType }, customMetadata: metadata, ...onlyIf(condition) },
        done = await limited(what, () => this.#bucket.put(this.#root + key, object.body, options));
      if (done === null) throw new StoreConflict(`${what}: the condition does not hold`);
      return done.etag;
    }
    async delete(key) {
      checkKey(key), await limited(`delete ${this.name}/${key}`, () => this.#bucket.delete(this.#root + key));
    }
    async *list(prefix) {
      let cursor;
      do {
        let options = { prefix: this.#root + prefix, ...(cursor === void 0 ? {} : { cursor }) },
          page2 = await limited(`list ${this.name}/${prefix}`, () => this.#bucket.list(options));
        for (let { key } of page2.objects) yield key.slice(this.#root.length);
        cursor = page2.truncated ? page2.cursor : void 0;
      } while (cursor !== void 0);
    }
  };
function onlyIf(condition) {
  return condition === void 0
    ? {}
    : { onlyIf: "ifTag" in condition ? { etagMatches: condition.ifTag } : { etagDoesNotMatch: "*" } };
}
async function limited(what, request) {
  let timer,
    late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
    });
  try {
    return await Promise.race([request(), late]);
  } catch (cause) {
    throw new StoreUnavailable(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
var Recent = class {
  #store;
  #monotonic;
  #kept = new Map();
  #reads = 0;
  constructor(store, monotonic) {
    (this.#store = store), (this.#monotonic = monotonic);
  }
  async get(key) {
    let kept = this.#kept.get(key),
      now = this.#monotonic();
    if (kept?.object !== void 0 && now < kept.until) return kept.object;
    this.#reads += 1;
    let read = this.#reads,
      object = await this.#store.get(key),
      meanwhile = this.#kept.get(key);
    return meanwhile !== void 0 && meanwhile.read > read
      ? meanwhile.object
      : (this.#kept.set(key, { object, read, until: object === void 0 ? now : now + 1e3 }), object);
  }
};
function shimContext(surroundings) {
  let { store, report } = surroundings,
    monotonic = () => surroundings.monotonic();
  return {
    store,
    now: () => surroundings.now(),
    monotonic,
    ...(report === void 0 ? {} : { report: (error) => report(error) }),
    ...(surroundings.answered === void 0 ? {} : { answered: (row, status) => surroundings.answered?.(row, status) }),
    recent: new Recent(store, monotonic),
  };
}
var SOURCE_HEADER = "x-service-settlement-source",
  FALLBACK_REASON_HEADER = "x-service-settlement-fallback-reason",
  NO_SNIFF = { "x-content-type-options": "nosniff" },
  COMMON_HEADERS = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers":
      "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason",
    ...NO_SNIFF,
  },
  CONTENT_TYPE = "application/json; charset=utf-8",
  ALLOWED_METHODS = ["GET", "HEAD", "OPTIONS"],
  PREFLIGHT_HEADERS = {
    ...COMMON_HEADERS,
    "access-control-allow-methods": "GET, HEAD",
    "access-control-allow-headers": "If-None-Match",
    "access-control-max-age": "86400",
  },
  REVALIDATE = "public, max-age=0, must-revalidate",
  NO_STORE = "no-store";
var RETRY_AFTER_SECONDS = 2;
function errorBody(code) {
  return JSON.stringify({ error: code });
}
function badRequest(code, cacheControl = null) {
  return {
    status: 400,
    headers: cacheControl === null ? {} : { "cache-control": cacheControl },
    body: errorBody(code),
  };
}
function unavailable(code) {
  return {
    status: 503,
    headers: { "cache-control": NO_STORE, "retry-after": String(RETRY_AFTER_SECONDS) },
    body: errorBody(code),
  };
}
var NOT_FOUND = { status: 404, headers: {}, body: errorBody("not_found") },
  METHOD_NOT_ALLOWED = {
    status: 405,
    headers: { allow: ALLOWED_METHODS.join(", ") },
    body: errorBody("method_not_allowed"),
  },
  EXPECTATION_FAILED = { status: 417, headers: {}, body: errorBody("expectation_failed") },
  HEADERS_TOO_LARGE = { status: 431, headers: {}, body: errorBody("headers_too_large") },
  REQUEST_TIMEOUT = { status: 408, headers: {}, body: errorBody("request_timeout") },
  INTERNAL_ERROR = { status: 500, headers: { "cache-control": NO_STORE }, body: errorBody("internal_error") };
var ANY = /^[ \t]*\*[ \t]*$/,
  MEMBER = /^[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\u00ff]*")[ \t]*$/;
function matchesNone(ifNoneMatch, etag) {
  if (ifNoneMatch === etag || ANY.test(ifNoneMatch)) return !0;
  let wanted = opaque(etag);
  return members(ifNoneMatch).some((member) => {
    let tag = MEMBER.exec(member)?.[1];
    return tag !== void 0 && opaque(tag) === wanted;
  });
}
function opaque(tag) {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
function members(field) {
  let found = [],
    quoted = !1,
    start = 0;
  for (let at = 0; at < field.length; at++) {
    let unit = field[at];
    unit === '"'
      ? (quoted = !quoted)
      : unit === "," && !quoted && (found.push(field.slice(start, at)), (start = at + 1));
  }
  return (found.push(field.slice(start)), found);
}
var PLAIN_PATH = /^\/[A-Za-z0-9_~:/-]*$/,
  PLAIN_QUERY = /^[!$-&(-;=?-~]*$/;
function parseTarget(target) {
  let mark = target.indexOf("?"),
    path = mark === -1 ? target : target.slice(0, mark),
    query = mark === -1 ? "" : target.slice(mark + 1);
  if (PLAIN_PATH.test(path) && PLAIN_QUERY.test(query)) return { path, query };
  let url = URL.parse(target.startsWith("/") ? `http://origin${target}` : target);
  if (!(url === null || (url.protocol !== "http:" && url.protocol !== "https:")))
    return { path: url.pathname, query: url.search.slice(1) };
}
function parseQuery(query) {
  return query
    .split("&")
    .filter((piece) => piece !== "")
    .map((piece) => {
      let equals = piece.indexOf("=");
      return equals === -1
        ? { name: decode(piece), value: "" }
        : { name: decode(piece.slice(0, equals)), value: decode(piece.slice(equals + 1)) };
    });
}
function uniqueParameters(query) {
  let parameters = new Map();
  for (let { name, value } of parseQuery(query)) {
    if (name === void 0 || value === void 0 || parameters.has(name)) return;
    parameters.set(name, value);
  }
  return parameters;
}
function decode(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return;
  }
}
var INSTALLATIONS_KEY = "installations",
  STATUS_KEY = "status.json",
  PRIVATE_PREFIX = "private/",
  PRIVATE_STATUS_KEY = `${PRIVATE_PREFIX}status.json`;
function pathKey(path, selected) {
  return selected === void 0 ? path.slice(1) : `${path.slice(1)}/${selected}`;
}
function constantKey(key) {
  return `${key}/unavailable`;
}
var ACTIVITY_PATH = "/v1/public/activity",
  CATEGORIES = ["all", "protocol", "players", "measurement"];
function activityKey(category) {
  return pathKey(ACTIVITY_PATH, category);
}
function activityTilesPrefix(category) {
  return `${activityKey(category)}/tiles/`;
}
function activityTileKey(category, name) {
  return activityTilesPrefix(category) + name;
}
var ACTIVITY_LIMIT = { minimum: 1, maximum: 100, default: 40 },
  ACTIVITY_CURSOR_LENGTH = 512;
function activityQuery(query) {
  let parameters = uniqueParameters(query);
  if (
    parameters === void 0 ||
    [...parameters.keys()].some((name) => name !== "category" && name !== "limit" && name !== "cursor")
  )
    return;
  let category = CATEGORIES.find((known2) => known2 === (parameters.get("category") ?? "all")),
    limit = parameters.get("limit") ?? String(ACTIVITY_LIMIT.default),
    cursor = parameters.get("cursor");
  return category === void 0 || !/^(?:[1-9][0-9]?|100)$/.test(limit)
    ? void 0
    : cursor === void 0
      ? { category, limit: Number(limit) }
      : cursor.length <= ACTIVITY_CURSOR_LENGTH && /^[A-Za-z0-9_-]+$/.test(cursor)
        ? { category, limit: Number(limit), cursor }
        : void 0;
}
var activityRoute = {
  kind: "route",
  name: "activity",
  resource: "activity",
  anchor: "activity",
  path: ACTIVITY_PATH,
  handler: "activity",
  query: "page",
  objects: [],
  parameters: [
    { name: "category", pattern: `(?:${CATEGORIES.join("|")})` },
    { name: "limit", pattern: "[0-9]{1,3}" },
    { name: "cursor", pattern: `[A-Za-z0-9_-]{1,${ACTIVITY_CURSOR_LENGTH}}` },
  ],
  parts: [`${pathKey(ACTIVITY_PATH)}/`],
  queryError: "invalid_query",
  etag: !1,
  conditional: !1,
  notModifiedTag: !1,
  sourceHeaders: !1,
  cacheControl: NO_STORE,
  absent: "not_published",
  edgeSeconds: 5,
  staleIfErrorSeconds: 0,
};
var HTML_HEADERS = {
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
  },
  NO_CACHE = "no-cache",
  IMMUTABLE = "public, max-age=31536000, immutable",
  FILE_RULES = {
    kind: "file",
    query: "ignored",
    handler: "file",
    conditional: !0,
    notModifiedTag: !0,
    cacheControl: NO_CACHE,
    edgeSeconds: 60,
    staleIfErrorSeconds: 0,
    headers: {},
    cors: !0,
  },
  HTML_RULES = { ...FILE_RULES, contentType: "text/html; charset=utf-8", headers: HTML_HEADERS, cors: !1 };
var badgeFile = {
  ...FILE_RULES,
  name: "badge",
  resource: "badge",
  path: "/badge.json",
  handler: "badge",
  objects: [],
  contentType: CONTENT_TYPE,
  edgeSeconds: 1,
};
var SITE_PREFIX = "site/",
  ASSETS_PREFIX = `${SITE_PREFIX}assets/`,
  pageFile = {
    ...HTML_RULES,
    name: "page",
    resource: "site",
    path: "/",
    objects: [{ query: "", key: `${SITE_PREFIX}index.html` }],
  },
  docsFile = {
    ...HTML_RULES,
    name: "docs",
    resource: "site",
    path: "/docs",
    objects: [{ query: "", key: `${SITE_PREFIX}docs.html` }],
  },
  assetFile = {
    ...FILE_RULES,
    name: "asset",
    resource: "site",
    path: "/assets/{asset}",
    handler: "asset",
    objects: [],
    parts: [ASSETS_PREFIX],
    contentType: null,
    cacheControl: IMMUTABLE,
    edgeSeconds: 3600,
  },
  openapiFile = {
    ...FILE_RULES,
    name: "openapi",
    resource: "site",
    path: "/openapi.json",
    objects: [{ query: "", key: `${SITE_PREFIX}openapi.json` }],
    contentType: CONTENT_TYPE,
  },
  robotsFile = {
    ...FILE_RULES,
    name: "robots",
    resource: "site",
    path: "/robots.txt",
    objects: [{ query: "", key: `${SITE_PREFIX}robots.txt` }],
    contentType: "text/plain; charset=utf-8",
  },
  faviconFile = {
    ...FILE_RULES,
    name: "favicon",
    resource: "site",
    path: "/favicon.svg",
    objects: [{ query: "", key: `${SITE_PREFIX}favicon.svg` }],
    contentType: "image/svg+xml",
  };
var jsonFeedFile = {
    ...FILE_RULES,
    name: "feed-json",
    resource: "feed",
    path: "/feed.json",
    objects: [{ query: "", key: `${SITE_PREFIX}feed.json` }],
    contentType: "application/feed+json; charset=utf-8",
  },
  atomFeedFile = {
    ...FILE_RULES,
    name: "feed-atom",
    resource: "feed",
    path: "/feed.atom",
    objects: [{ query: "", key: `${SITE_PREFIX}feed.atom` }],
    contentType: "application/atom+xml; charset=utf-8",
  };
var PATH = "/v1/public/modules",
  MODULES_KEY = pathKey(PATH),
  modulesRoute = {
    kind: "route",
    name: "modules",
    resource: "modules",
    anchor: "modules",
    path: PATH,
    handler: "stored",
    query: "ignored",
    objects: [{ query: "", key: MODULES_KEY }],
    queryError: null,
    etag: !1,
    conditional: !1,
    notModifiedTag: !1,
    sourceHeaders: !1,
    cacheControl: null,
    absent: "not_published",
    edgeSeconds: 1,
    staleIfErrorSeconds: 60,
  };
var IN_PATHS = /^[A-Za-z0-9._:-]{1,128}$/;
function isInstallationId(text) {
  return IN_PATHS.test(text);
}
function observationsKey(installationId) {
  return pathKey(`/v1/public/installations/~${installationId}/observations`);
}
function observationTileKey(installationId, history, tile) {
  return `${observationsKey(installationId)}/${history}/${tile}`;
}
function tileOf(position) {
  return Math.floor((position - 1) / 128);
}
var observationsRoute = {
  kind: "route",
  name: "observations",
  resource: "observations",
  anchor: "observations",
  path: "/v1/public/installations/{installationId}/observations",
  handler: "observations",
  query: "page",
  objects: [],
  parameters: [
    { name: "cursor", pattern: "[A-Za-z0-9_-]{1,24}" },
    { name: "limit", pattern: "[0-9]{1,3}" },
  ],
  parts: [`${observationsKey("{installationId}")}/`, INSTALLATIONS_KEY, `${INSTALLATIONS_KEY}/`],
  queryError: "invalid_cursor",
  etag: !1,
  conditional: !1,
  notModifiedTag: !1,
  sourceHeaders: !1,
  cacheControl: null,
  absent: "not_published",
  edgeSeconds: 1,
  staleIfErrorSeconds: 60,
};
var PATH2 = "/v4/public/onchain",
  ONCHAIN_KEY = pathKey(PATH2),
  onchainRoute = {
    kind: "route",
    name: "onchain",
    resource: "onchain",
    anchor: "onchain",
    path: PATH2,
    handler: "stored",
    query: "exact",
    objects: [{ query: "", key: ONCHAIN_KEY }],
    parts: [constantKey(ONCHAIN_KEY)],
    queryError: "invalid_query",
    etag: !1,
    conditional: !1,
    notModifiedTag: !1,
    sourceHeaders: !1,
    cacheControl: NO_STORE,
    absent: "not_published",
    edgeSeconds: 5,
    staleIfErrorSeconds: 0,
  };
var PATH3 = "/v4/public/process",
  PROCESS_KEY = pathKey(PATH3),
  processRoute = {
    kind: "route",
    name: "process",
    resource: "process",
    anchor: "process",
    path: PATH3,
    handler: "stored",
    query: "exact",
    objects: [{ query: "", key: PROCESS_KEY }],
    queryError: "invalid_query",
    etag: !0,
    conditional: !0,
    notModifiedTag: !0,
    sourceHeaders: !1,
    cacheControl: REVALIDATE,
    absent: "not_published",
    edgeSeconds: 1,
    staleIfErrorSeconds: 0,
  };
var publicationStatusFile = {
  ...FILE_RULES,
  name: "publication-status",
  resource: "publication-status",
  path: "/status.json",
  handler: "publication-status",
  objects: [],
  parts: [STATUS_KEY],
  contentType: CONTENT_TYPE,
  conditional: !1,
  notModifiedTag: !1,
  cacheControl: NO_STORE,
  edgeSeconds: 1,
};
var PATH4 = "/v4/public/settlements",
  SETTLEMENT_RANGES = ["now", "24h", "7d", "30d"];
function settlementsKey(range) {
  return pathKey(PATH4, range);
}
var SETTLEMENTS_RULES = {
    handler: "stored",
    query: "exact",
    queryError: "invalid_query",
    etag: !0,
    conditional: !0,
    notModifiedTag: !1,
    sourceHeaders: !0,
    cacheControl: REVALIDATE,
    absent: "not_published",
    edgeSeconds: 5,
    staleIfErrorSeconds: 0,
  },
  settlementsRoute = {
    kind: "route",
    name: "settlements",
    resource: "settlements",
    anchor: "settlements",
    path: PATH4,
    objects: [
      ...SETTLEMENT_RANGES.map((range) => ({ query: `range=${range}`, key: settlementsKey(range) })),
      { query: "range=now&queue=1", key: settlementsKey("queue") },
    ],
    ...SETTLEMENTS_RULES,
  };
var PATH5 = "/v3/public/settlements";
function legacySettlementsKey(range) {
  return pathKey(PATH5, range);
}
var legacySettlementsRoute = {
  kind: "route",
  name: "settlements-legacy",
  resource: "settlements-legacy",
  anchor: "settlements-legacy",
  path: PATH5,
  objects: SETTLEMENT_RANGES.map((range) => ({ query: `range=${range}`, key: legacySettlementsKey(range) })),
  ...SETTLEMENTS_RULES,
};
var PATH6 = "/v2/public/stats",
  RANGES = ["7d", "30d"];
function statisticsKey(range) {
  return pathKey(PATH6, range);
}
var statisticsRoute = {
  kind: "route",
  name: "statistics",
  resource: "statistics",
  anchor: "statistics",
  path: PATH6,
  handler: "stored",
  query: "exact",
  objects: RANGES.map((range) => ({ query: `range=${range}`, key: statisticsKey(range) })),
  queryError: "invalid_query",
  etag: !0,
  conditional: !0,
  notModifiedTag: !0,
  sourceHeaders: !1,
  cacheControl: REVALIDATE,
  absent: "database_busy",
  edgeSeconds: 5,
  staleIfErrorSeconds: 0,
};
var TELEMETRY_KEY = pathKey("/v1/public/telemetry"),
  UNKNOWN_TELEMETRY_KEY = pathKey("/v1/public/installations/telemetry");
function installationTelemetryKey(installationId) {
  return pathKey(`/v1/public/installations/~${installationId}/telemetry`);
}
var TELEMETRY = {
    resource: "telemetry",
    anchor: "telemetry",
    query: "ignored",
    queryError: null,
    etag: !0,
    conditional: !1,
    notModifiedTag: !1,
    sourceHeaders: !1,
    cacheControl: null,
    absent: "not_published",
    edgeSeconds: 1,
    staleIfErrorSeconds: 60,
  },
  telemetryRoute = {
    kind: "route",
    name: "telemetry",
    path: "/v1/public/telemetry",
    handler: "stored",
    objects: [{ query: "", key: TELEMETRY_KEY }],
    ...TELEMETRY,
  },
  installationTelemetryRoute = {
    kind: "route",
    name: "installation-telemetry",
    path: "/v1/public/installations/{installationId}/telemetry",
    handler: "installation-telemetry",
    objects: [],
    parts: [
      installationTelemetryKey("{installationId}"),
      UNKNOWN_TELEMETRY_KEY,
      INSTALLATIONS_KEY,
      `${INSTALLATIONS_KEY}/`,
    ],
    ...TELEMETRY,
  };
var ROUTE_ROWS = [
    telemetryRoute,
    installationTelemetryRoute,
    modulesRoute,
    observationsRoute,
    processRoute,
    statisticsRoute,
    onchainRoute,
    settlementsRoute,
    activityRoute,
    legacySettlementsRoute,
  ],
  FILE_ROWS = [
    pageFile,
    docsFile,
    assetFile,
    openapiFile,
    jsonFeedFile,
    atomFeedFile,
    badgeFile,
    publicationStatusFile,
    robotsFile,
    faviconFile,
  ],
  ROUTES = ROUTE_ROWS,
  FILES = FILE_ROWS,
  ROWS = [...ROUTES, ...FILES],
  ASSET_TYPES = ["text/css", "text/javascript", "application/javascript"],
  COMPRESSED_TYPES = [
    ...new Set(
      [CONTENT_TYPE, ...FILES.flatMap(({ contentType }) => contentType ?? ASSET_TYPES)].map((type) =>
        type.replace(/;.*/, "")
      )
    ),
  ],
  RESOURCE_NAMES = [
    ...new Set(
      ROWS.filter(({ objects, kind }) => kind === "route" || objects.length > 0).map(({ resource }) => resource)
    ),
  ];
var PLACEHOLDER = /\{[a-zA-Z]+\}/,
  byPath = new Map(),
  byTemplate = [],
  byQuery = new Map(),
  byKey = [];
for (let row of ROWS) {
  let [before = "", after] = row.path.split(PLACEHOLDER);
  after === void 0 ? byPath.set(row.path, { row }) : byTemplate.push({ row, before, after }),
    byQuery.set(row, new Map(row.objects.map((object) => [object.query, object])));
  let keys = [...row.objects.map(({ key }) => key), ...(row.parts ?? [])];
  for (let key of keys) byKey.push({ row, pattern: keyPattern(key) });
}
function matchPath(path) {
  let match2 = byPath.get(path);
  if (match2 !== void 0) return match2;
  for (let { row, before, after } of byTemplate) {
    if (!path.startsWith(before) || !path.endsWith(after)) continue;
    let segment = path.slice(before.length, path.length - after.length);
    if (!(path.length < before.length + after.length || segment.includes("/")))
      return { row, parameter: decode2(segment) };
  }
}
function matchObject(row, query) {
  if (row.query === "ignored") return row.objects[0];
  let quick = byQuery.get(row)?.get(query);
  if (quick !== void 0) return quick;
  let given = uniqueParameters(query);
  if (given !== void 0)
    return row.objects.find((object) => {
      let wanted = uniqueParameters(object.query);
      return wanted?.size === given.size && [...wanted].every(([name, value]) => given.get(name) === value);
    });
}
function matchKey(key) {
  return byKey.find(({ pattern }) => pattern.test(key))?.row;
}
function keyPattern(key) {
  let escaped = key.split(PLACEHOLDER).map((text) => text.replaceAll(".", "\\."));
  return new RegExp(`^${escaped.join("[^/]+")}${key.endsWith("/") ? "" : "$"}`);
}
function decode2(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
var HEARD_HEADER = "noonmark-heard",
  FRONT = { edge: "edge", pass: "pass" },
  VALID_UNTIL_HEADER = "noonmark-valid-until",
  PUBLISHED_HEADER = "noonmark-published",
  EDGE_HEADERS = {
    cacheControl: "noonmark-cache-control",
    status: "noonmark-status",
    keptUntil: "noonmark-kept-until",
    notModified: "noonmark-not-modified",
  };
var TIERS = 3,
  SLACK_MS = 5e3;
function edgeAnswer(full, now, kept) {
  let { status, edge } = full;
  if (status >= 400 && !(kept && edge !== void 0)) return full;
  let { "cache-control": cacheControl, ...headers } = full.headers,
    told2 = { ...headers, ...keeping(full, now, kept) };
  return (
    cacheControl !== void 0 && (told2[EDGE_HEADERS.cacheControl] = cacheControl),
    status >= 400 && (told2[EDGE_HEADERS.status] = String(status)),
    full.validator !== void 0 &&
      (told2[EDGE_HEADERS.notModified] = "etag" in full.validator.notModified ? "tag" : "no-tag"),
    { status: status >= 400 ? 200 : status, headers: told2, body: full.body }
  );
}
function keeping({ edge, validUntil: validUntil2 }, now, kept) {
  let left = validUntil2 === void 0 ? 1 / 0 : Math.floor((validUntil2 - now) / 1e3),
    seconds = kept && edge !== void 0 ? Math.min(edge.seconds, Math.floor(left / TIERS)) : 0;
  if (edge === void 0 || seconds <= 0) return { "cache-control": NO_STORE };
  let stale = Math.min(edge.staleIfErrorSeconds, left - seconds * TIERS),
    end = now + (seconds * TIERS + stale) * 1e3 + SLACK_MS;
  return {
    "cache-control": `max-age=0, s-maxage=${seconds}, stale-if-error=${stale}`,
    [EDGE_HEADERS.keptUntil]: String(Math.min(end, validUntil2 ?? 1 / 0)),
  };
}
function heardAnswer(full, said, now) {
  if (isEdge(said)) {
    let answered = edgeAnswer(full, now, said === FRONT.edge);
    return answered.status >= 400 ? answered : heard(answered);
  }
  let told2 = {};
  return (
    full.validUntil !== void 0 && (told2[VALID_UNTIL_HEADER] = String(full.validUntil)),
    full.status !== 200 && full.edge !== void 0 && (told2[PUBLISHED_HEADER] = "1"),
    heard({ ...full, headers: { ...full.headers, ...told2 } })
  );
}
function unheardAnswer(full, said, now) {
  return isEdge(said)
    ? edgeAnswer(full, now, !1)
    : { ...full, headers: { ...full.headers, [VALID_UNTIL_HEADER]: "0" } };
}
function heard(full) {
  let said = { [HEARD_HEADER]: "1" },
    answered = { ...full, headers: { ...full.headers, ...said } },
    { validator } = full;
  return validator === void 0
    ? answered
    : { ...answered, validator: { ...validator, notModified: { ...validator.notModified, ...said } } };
}
function isEdge(said) {
  return said === FRONT.edge || said === FRONT.pass;
}
var encoder = new TextEncoder();
function rowAnswer(row, head, body, contentType = CONTENT_TYPE) {
  let { edgeSeconds: seconds, staleIfErrorSeconds } = row,
    edge = head.status === 200 ? { seconds, staleIfErrorSeconds } : { seconds: 1, staleIfErrorSeconds: 0 },
    isFile = row.kind === "file",
    always = isFile && !row.cors ? NO_SNIFF : COMMON_HEADERS,
    type = isFile ? (row.contentType ?? contentType) : CONTENT_TYPE,
    answer2 = { ...complete({ ...head, always, type }, body), edge },
    { etag } = head.headers;
  return !row.conditional || head.status !== 200 || etag === void 0
    ? answer2
    : { ...answer2, validator: { etag, notModified: { ...always, ...notModifiedHeaders(row, head.headers) } } };
}
function invalidQuery({ queryError }, cacheControl = null) {
  return plainAnswer(badRequest(queryError ?? "invalid_query", cacheControl));
}
function plainAnswer({ body, ...head }) {
  return complete({ ...head, always: COMMON_HEADERS, type: CONTENT_TYPE }, encoder.encode(body));
}
function complete({ status, headers, always, type }, body) {
  return {
    status,
    headers: { ...always, ...headers, "content-type": type, "content-length": String(body.length) },
    body,
  };
}
function notModifiedHeaders(row, headers) {
  let kept = ["cache-control", "vary", SOURCE_HEADER, FALLBACK_REASON_HEADER];
  row.notModifiedTag && kept.push("etag");
  let found = kept.flatMap((name) => (headers[name] === void 0 ? [] : [[name, headers[name]]]));
  return Object.fromEntries(found);
}
function successorAt(successors, now) {
  return successors.findLast((successor) => successor.from <= now);
}
function validUntil(successors, now) {
  return successors.find((successor) => successor.from > now)?.from;
}
function applyEdits(body, edits) {
  let encoder7 = new TextEncoder(),
    parts = [],
    at = 0;
  for (let { offset, length, text } of edits)
    parts.push(body.subarray(at, offset), encoder7.encode(text)), (at = offset + length);
  parts.push(body.subarray(at));
  let result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0)),
    filled = 0;
  for (let part of parts) result.set(part, filled), (filled += part.length);
  return result;
}
function decodeAnswer({ metadata, body }) {
  let status = Number(metadata.status);
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new Error("its status is no status");
  return {
    representation: { status, headers: parsed(metadata.headers, isTexts, "headers") },
    body,
    successors: parsed(metadata.successors ?? "[]", isSuccessorsOf(body.length), "successors"),
    writerMetadata: decodeWriterMetadata(metadata),
    states: parsed(metadata.states ?? "[]", isStates, "states"),
  };
}
function decodeWriterMetadata(metadata) {
  return {
    epoch: Number(metadata.epoch ?? "0"),
    writer: metadata.writer ?? "",
    asof: parsed(metadata.asof ?? '{"at":0}', isAsof, "asof"),
  };
}
function parsed(text, is, name) {
  let value = text === void 0 ? void 0 : JSON.parse(text);
  if (!is(value)) throw new Error(`its ${name} are not what Noonmark stores`);
  return value;
}
function isFields(value) {
  return typeof value == "object" && value !== null && !Array.isArray(value);
}
function isTexts(value) {
  return isFields(value) && Object.values(value).every((text) => typeof text == "string");
}
function isAsof(value) {
  return isFields(value) && Number.isFinite(value.at);
}
function isStates(value) {
  let isState = (one) => isFields(one) && Number.isFinite(one.from) && typeof one.identity == "string";
  return Array.isArray(value) && value.every(isState);
}
function isSuccessorsOf(length) {
  let isSuccessor = (one) =>
    isFields(one) &&
    Number.isFinite(one.from) &&
    (one.key === void 0 || typeof one.key == "string") &&
    (one.headers === void 0 || isHeaderChanges(one.headers)) &&
    (one.edits === void 0 || isEdits(one.edits, length));
  return (value) => Array.isArray(value) && value.every(isSuccessor);
}
function isHeaderChanges(value) {
  return isFields(value) && Object.values(value).every((text) => text === null || typeof text == "string");
}
function isEdits(value, length) {
  let end = 0,
    isNext = (edit) => {
      if (!isFields(edit) || typeof edit.text != "string") return !1;
      let { offset, length: replaced } = edit;
      if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(replaced)) return !1;
      let start = end;
      return (
        (end = Number(offset) + Number(replaced)), Number(offset) >= start && Number(replaced) >= 0 && end <= length
      );
    };
  return Array.isArray(value) && value.every(isNext);
}
function soon(value, next) {
  return value instanceof Promise ? value.then(next) : next(value);
}
var unfolded = new Map();
function storedAnswer(row, key, store, now) {
  return soon(store.get(key), (object) => {
    if (object === void 0) return;
    let { answer: answer2, full } = unfold(row, object, key),
      successor = successorAt(answer2.successors, now);
    if (successor?.key !== void 0) return constantAnswer(row, successor.key, store);
    let known2 = full.get(successor);
    if (known2 !== void 0) return known2;
    let until = validUntil(answer2.successors, now),
      made = {
        ...rowAnswer(
          row,
          headOf(answer2, successor),
          applyEdits(answer2.body, successor?.edits ?? []),
          object.contentType
        ),
        ...(until === void 0 ? {} : { validUntil: until }),
      };
    return (full.set(successor, made), made);
  });
}
function decodeStored(object, key) {
  return decodedAs(key, object, decodeAnswer);
}
function constantAnswer(row, key, store) {
  return soon(store.get(key), (object) => {
    if (object === void 0) return;
    let { representation, body } = unfold(row, object, key).answer;
    return rowAnswer(row, representation, body);
  });
}
function headOf({ representation }, successor) {
  if (successor?.headers === void 0) return representation;
  let headers = Object.entries({ ...representation.headers, ...successor.headers });
  return { status: representation.status, headers: Object.fromEntries(headers.filter((header) => header[1] !== null)) };
}
function unfold(row, object, key) {
  let known2 = unfolded.get(row);
  known2 === void 0 && ((known2 = new WeakMap()), unfolded.set(row, known2));
  let entry = known2.get(object);
  return (
    entry === void 0 && ((entry = { answer: decodeStored(object, key), full: new Map() }), known2.set(object, entry)),
    entry
  );
}
var decoder = new TextDecoder();
async function leaseFacts({ recent }) {
  let object = await recent.get(STATUS_KEY);
  if (object !== void 0)
    try {
      let facts = JSON.parse(decoder.decode(object.body));
      if (!isLeaseFacts(facts)) throw new Error("it is not a lease of Noonmark");
      return facts.public == null ? void 0 : { ...facts, public: facts.public };
    } catch (cause) {
      throw new StoreUnavailable(`${STATUS_KEY}: cannot be read`, { cause });
    }
}
function isLeaseFacts(value) {
  let { ttlMs, renewedAt, public: record } = value ?? {};
  return typeof ttlMs != "number" || typeof renewedAt != "string" || Number.isNaN(Date.parse(renewedAt))
    ? !1
    : record == null || typeof record.installationId == "string";
}
var COLORS = { online: "brightgreen", stale: "yellow", offline: "lightgrey" },
  decoder2 = new TextDecoder(),
  encoder2 = new TextEncoder();
async function badge({ file }, context2) {
  if ((await leaseFacts(context2)) === void 0) return;
  let telemetry = await storedAnswer(telemetryRoute, TELEMETRY_KEY, context2.store, context2.now());
  if (telemetry === void 0) return;
  let { installationId, status } = telemetryOf(telemetry.body),
    color = COLORS[status] ?? "lightgrey",
    body = encoder2.encode(JSON.stringify({ schemaVersion: 1, label: installationId, message: status, color })),
    headers = {
      etag: await tagOf(body),
      ...(file.cacheControl === null ? {} : { "cache-control": file.cacheControl }),
    },
    { validUntil: validUntil2 } = telemetry;
  return {
    ...rowAnswer(file, { status: 200, headers }, body),
    ...(validUntil2 === void 0 ? {} : { validUntil: validUntil2 }),
  };
}
function telemetryOf(body) {
  try {
    let { installationId, status } = JSON.parse(decoder2.decode(body));
    if (typeof installationId == "string" && typeof status == "string") return { installationId, status };
  } catch (cause) {
    throw new StoreUnavailable(`${TELEMETRY_KEY} is no telemetry`, { cause });
  }
  throw new StoreUnavailable(`${TELEMETRY_KEY} is no telemetry`);
}
async function tagOf(body) {
  let hash = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return `"${btoa(String.fromCharCode(...hash))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")}"`;
}
function publisherState({ released, renewedAt, ttlMs }, now) {
  let age = now - Date.parse(renewedAt);
  return released || age >= 6e4 ? "stopped" : age >= ttlMs ? "late" : "live";
}
var PUBLISHED = "2026-11-20T10:00:00.000Z",
  SEPARATORS = [4, 7, 10, 13, 16, 19, 23].map((at) => [at, PUBLISHED.charCodeAt(at)]);
var EARLIEST = Date.parse("0001-01-01T00:00:00.000Z"),
  LATEST = Date.parse("9999-12-31T23:59:59.999Z");
function formatTimestamp(epochMs) {
  return new Date(epochMs).toISOString();
}
var encoder3 = new TextEncoder();
async function publicationStatus({ file }, context2) {
  let facts = await leaseFacts(context2);
  if (facts === void 0) return;
  let now = context2.now(),
    { renewedAt, lastCycleAt, nextCycleAt } = facts,
    { installationId, answers, sources, explorer } = facts.public,
    body = {
      schemaVersion: 1,
      installationId,
      now: formatTimestamp(now),
      publisher: { state: publisherState(facts, now), renewedAt, lastCycleAt, nextCycleAt },
      answers,
      sources,
      explorer,
    },
    headers = file.cacheControl === null ? {} : { "cache-control": file.cacheControl };
  return rowAnswer(file, { status: 200, headers }, encoder3.encode(JSON.stringify(body)));
}
var PATH_PARAMETERS = {
  installationId: "(?!\\.{1,2}/)[A-Za-z0-9._:-]{1,128}",
  asset: "[A-Za-z0-9_]{1,64}-[0-9a-f]{8,64}\\.[a-z0-9]{1,8}",
};
var ASSET = new RegExp(`^${PATH_PARAMETERS.asset}$`);
function storedFile({ file }, context2) {
  let [object] = file.objects;
  return object === void 0 ? void 0 : storedAnswer(file, object.key, context2.store, context2.now());
}
function storedAsset({ file, asset }, context2) {
  if (ASSET.test(asset)) return storedAnswer(file, `${ASSETS_PREFIX}${asset}`, context2.store, context2.now());
}
function isActivityKey(text) {
  return /^\d{15}(?:1\d{36}|0\d{16}measurement\.[a-z_]{1,64}-\d{1,78})$/.test(text);
}
function encodeActivityCursor(category, key) {
  return btoa(`${category}:${key}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function decodeActivityCursor(category, cursor) {
  let text;
  try {
    text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return;
  }
  let key = text.slice(category.length + 1);
  return text.startsWith(`${category}:`) && isActivityKey(key) && encodeActivityCursor(category, key) === cursor
    ? key
    : void 0;
}
function decodeHead(text) {
  let [opening = "", layout, ...recent] = text.split(`
`);
  if (layout === void 0) return;
  let value = JSON.parse(layout);
  if (!isLayout(value)) throw new Error("its second line is not the layout of a feed");
  return { opening, recent: recent.map(eventLine), tiles: value.tiles, indexes: value.indexes };
}
function isLayout(value) {
  let { tiles, indexes } = value ?? {};
  return (
    Array.isArray(tiles) &&
    tiles.every(isTileEntry) &&
    Array.isArray(indexes) &&
    indexes.every((index) => isTileEntry(index) && isTileEntry(index.first))
  );
}
function isTileEntry(value) {
  let { name, last } = value ?? {};
  return typeof name == "string" && typeof last == "string";
}
function decodeTile(text) {
  return text
    .split(`
`)
    .map(eventLine);
}
function decodeIndexTile(text) {
  return text
    .split(`
`)
    .map((line) => {
      let [name = "", last = ""] = line.split("	");
      return { name, last };
    });
}
function pageBody(opening, events, nextCursor) {
  return `${opening}${events.map(({ text }) => text).join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}
function eventLine(line) {
  let tab = line.indexOf("	");
  return { key: line.slice(0, tab), text: line.slice(tab + 1) };
}
async function cutPage(head, after, limit, read) {
  let isBelow = ({ key }) => after === void 0 || key < after,
    recent = head.recent.filter(isBelow);
  if (recent.length > limit) return { events: recent.slice(0, limit), more: !0 };
  let events = [...recent],
    tiles = await tilesBelow(head, recent.length > 0 ? void 0 : after, read);
  for (let [index, { name }] of tiles.entries()) {
    if (events.length === limit) return { events, more: !0 };
    let found = decodeTile(await read(name)).filter(isBelow);
    if ((events.push(...found.slice(0, limit - events.length)), found.length > 0 && events.at(-1) !== found.at(-1)))
      return { events, more: !0 };
    if (events.length === limit) return { events, more: index + 1 < tiles.length };
  }
  return { events, more: !1 };
}
async function tilesBelow({ tiles, indexes }, after, read) {
  let isBelow = ({ last }) => after === void 0 || last < after,
    direct = tiles.findIndex(isBelow);
  if (direct !== -1) return [...tiles.slice(direct), ...indexes.slice(0, 1).map(({ first }) => first)].slice(0, 3);
  let at = indexes.findIndex(isBelow),
    index = indexes[at];
  if (index === void 0) return [];
  let next = indexes.slice(at + 1, at + 2).map(({ first }) => first),
    entries = decodeIndexTile(await read(index.name));
  return [...entries.slice(entries.findIndex(isBelow)), ...next].slice(0, 3);
}
var decoder3 = new TextDecoder(),
  encoder4 = new TextEncoder(),
  heads = new WeakMap(),
  TileGone = class extends Error {
    name = "TileGone";
  };
async function activityPage({ route, query }, context2) {
  let asked = activityQuery(query),
    wanted = asked === void 0 ? void 0 : wantedPage(asked);
  if (wanted === void 0 || (wanted.isRejected && !isOfChain(wanted.category)))
    return invalidQuery(route, route.cacheControl);
  let now = context2.now();
  try {
    return await page(route, wanted, context2.store, now);
  } catch (error) {
    if (!(error instanceof TileGone)) throw error;
    return page(route, wanted, { get: (key) => context2.store.get(key, { fresh: !0 }) }, now).catch(storeUnavailable);
  }
}
function wantedPage({ category, limit, cursor }) {
  let after = cursor === void 0 ? void 0 : decodeActivityCursor(category, cursor);
  return { category, limit, after, isRejected: cursor !== void 0 && after === void 0 };
}
function isOfChain(category) {
  return category === "protocol" || category === "players";
}
async function page(route, { category, limit, after, isRejected }, store, now) {
  let key = activityKey(category),
    answer2 = await storedAnswer(route, key, store, now);
  if (answer2 === void 0) return;
  let head = headOf2(answer2, key);
  if (head === "unavailable") return answer2;
  if (isRejected) return storedAnswer(route, constantKey(key), store, now);
  let { events, more } = await cutPage(head, after, limit, (name) => tileText(category, name, store)),
    last = events.at(-1),
    nextCursor = more && last !== void 0 ? encodeActivityCursor(category, last.key) : null,
    headers = route.cacheControl === null ? {} : { "cache-control": route.cacheControl },
    cut = rowAnswer(route, { status: 200, headers }, encoder4.encode(pageBody(head.opening, events, nextCursor)));
  return answer2.validUntil === void 0 ? cut : { ...cut, validUntil: answer2.validUntil };
}
function headOf2(answer2, key) {
  let head = heads.get(answer2);
  if (head === void 0) {
    try {
      head = decodeHead(decoder3.decode(answer2.body)) ?? "unavailable";
    } catch (cause) {
      throw new StoreUnavailable(`${key} is not a feed of Noonmark`, { cause });
    }
    heads.set(answer2, head);
  }
  return head;
}
async function tileText(category, name, store) {
  let object = await store.get(activityTileKey(category, name));
  if (object === void 0) throw new TileGone(name);
  return decoder3.decode(object.body);
}
function storeUnavailable(cause) {
  throw cause instanceof TileGone
    ? new StoreUnavailable(`the activity's head names a tile that is not there: ${cause.message}`, { cause })
    : cause;
}
var MOST_SHARDS = 65536;
function parseIndex(text) {
  let index = JSON.parse(text);
  if (!isRecord(index) || typeof index.configured != "string") throw new SyntaxError("not an installations index");
  let { schemaVersion, configured, installations, shards } = index;
  if (schemaVersion === 1) return { configured, histories: parseEntries(installations) };
  if (schemaVersion !== 2) throw new SyntaxError("not an installations index of version 1 or 2");
  if (!isShardCount(shards)) throw new SyntaxError("an installations index without its number of shards");
  return { configured, shards };
}
function parseIndexShard(text) {
  let shard = JSON.parse(text);
  if (!isRecord(shard) || shard.schemaVersion !== 2) throw new SyntaxError("not a shard of an installations index");
  return parseEntries(shard.installations);
}
function shardKeyOf(installationId, shards) {
  return shardKey(fnv1a(installationId) % shards, shards);
}
function shardKey(shard, shards) {
  return `${INSTALLATIONS_KEY}/${shards}/${shard}`;
}
var SHARD_KEY = new RegExp(`^${INSTALLATIONS_KEY}/([1-9][0-9]{0,4})/(0|[1-9][0-9]{0,4})$`);
function parseEntries(installations) {
  if (!isRecord(installations)) throw new SyntaxError("no installations in the index");
  let histories = new Map();
  for (let [id, entry] of Object.entries(installations)) {
    if (!isRecord(entry) || typeof entry.history != "string") throw new SyntaxError(`no history for ${id}`);
    histories.set(id, entry.history);
  }
  return histories;
}
function isShardCount(shards) {
  return Number.isInteger(shards) && Number(shards) >= 1 && Number(shards) <= MOST_SHARDS;
}
function isRecord(value) {
  return typeof value == "object" && value !== null && !Array.isArray(value);
}
function fnv1a(text) {
  let hash = 2166136261;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  return hash >>> 0;
}
var PLACEHOLDER2 = '"{installationId}"',
  decoder4 = new TextDecoder(),
  encoder5 = new TextEncoder(),
  indexOf = parsedOnce(parseIndex),
  namesOf = parsedOnce(parseIndexShard);
async function namedInstallation(installationId, { recent }) {
  let object = await recent.get(INSTALLATIONS_KEY);
  if (object === void 0) return;
  let index = indexOf(INSTALLATIONS_KEY, object);
  return { isConfigured: installationId === index.configured, history: await historyIn(index, installationId, recent) };
}
async function historyIn(index, installationId, recent) {
  if ("histories" in index) return index.histories.get(installationId);
  let key = shardKeyOf(installationId, index.shards),
    shard = await recent.get(key);
  if (shard === void 0) throw new StoreUnavailable(`${key}: is missing`);
  return namesOf(key, shard).get(installationId);
}
async function installationTelemetry({ route, installationId }, context2) {
  let named = await namedInstallation(installationId, context2);
  if (named === void 0) return;
  if (named.isConfigured || named.history !== void 0) return ownTelemetry(route, installationId, named, context2);
  let template = await context2.recent.get(UNKNOWN_TELEMETRY_KEY);
  if (template === void 0) return;
  let { representation, body } = decodeStored(template, UNKNOWN_TELEMETRY_KEY),
    text = decoder4.decode(body).replace(PLACEHOLDER2, () => JSON.stringify(installationId));
  return rowAnswer(route, representation, encoder5.encode(text));
}
async function ownTelemetry(route, installationId, named, { store, now }) {
  let key = telemetryKeyOf(installationId, named),
    found = await storedAnswer(route, key, store, now());
  return (found?.status === 200 && checkSubject(key, found, installationId), found);
}
function telemetryKeyOf(installationId, { isConfigured }) {
  return isConfigured ? TELEMETRY_KEY : installationTelemetryKey(installationId);
}
var subjects = new WeakMap();
function checkSubject(key, { body }, installationId) {
  let subject = subjects.get(body) ?? { id: subjectOf(body) };
  if ((subjects.set(body, subject), subject.id !== installationId))
    throw new StoreUnavailable(`${key} holds the telemetry of ${String(subject.id)}, not of ${installationId}`);
}
function subjectOf(body) {
  try {
    return JSON.parse(decoder4.decode(body))?.installationId;
  } catch {
    return;
  }
}
function parsedOnce(parse) {
  let parsed2 = new WeakMap();
  return (key, object) => {
    let known2 = parsed2.get(object);
    if (known2 === void 0) {
      try {
        known2 = { value: parse(decoder4.decode(object.body)) };
      } catch (cause) {
        throw new StoreUnavailable(`${key}: cannot be read`, { cause });
      }
      parsed2.set(object, known2);
    }
    return known2.value;
  };
}
function encodeObservationCursor(position) {
  return btoa(String(position)).replaceAll("=", "");
}
function decodeObservationCursor(cursor) {
  if (!/^[A-Za-z0-9_-]{2,24}$/.test(cursor)) return;
  let text;
  try {
    text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return;
  }
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return;
  let position = Number(text);
  return Number.isSafeInteger(position) && encodeObservationCursor(position) === cursor ? position : void 0;
}
var OBSERVATIONS_LIMIT = { minimum: 1, maximum: 100, default: 100 };
function observationsQuery(query) {
  let pieces = parseQuery(query),
    cursor = pieces.find(({ name }) => name === "cursor"),
    after = cursor === void 0 ? 0 : decodeObservationCursor(cursor.value ?? "");
  if (after === void 0) return;
  let limit = pieces.find(({ name, value }) => name === "limit" && value !== void 0);
  return { after, limit: limit?.value === void 0 ? OBSERVATIONS_LIMIT.default : observationsLimit(limit.value) };
}
function observationsLimit(value) {
  let number = Number(value);
  return Number.isInteger(number)
    ? Math.min(Math.max(number, OBSERVATIONS_LIMIT.minimum), OBSERVATIONS_LIMIT.maximum)
    : OBSERVATIONS_LIMIT.default;
}
var NO_TILE = { body: new Uint8Array(), ends: [] },
  LINE_FEED = 10,
  COMMA = 44,
  known = new WeakMap();
function tileFrom(object) {
  let tile = known.get(object);
  return (
    tile === void 0 && ((tile = { body: object.body, ends: endsOf(object.body) }), known.set(object, tile)), tile
  );
}
function joinItems(before, slices, after) {
  let filled = slices.filter(({ from, to }) => to > from),
    length = filled.reduce((sum, slice) => sum + bytesOf(slice).length + 1, 0),
    joined = new Uint8Array(before.length + Math.max(0, length - 1) + after.length);
  joined.set(before);
  let at = before.length;
  for (let slice of filled) {
    let { tile, from, to } = slice,
      bytes = bytesOf(slice),
      start = startOf(tile, from);
    joined.set(bytes, at);
    for (let item = from; item < to - 1; item++) joined[at + (tile.ends[item] ?? 0) - start] = COMMA;
    (at += bytes.length), (joined[at++] = COMMA);
  }
  return (joined.set(after, joined.length - after.length), joined);
}
function bytesOf({ tile, from, to }) {
  return tile.body.subarray(startOf(tile, from), tile.ends[to - 1]);
}
function startOf(tile, item) {
  return item === 0 ? 0 : (tile.ends[item - 1] ?? 0) + 1;
}
function endsOf(body) {
  if (body.length === 0) return [];
  let ends = [];
  for (let at = body.indexOf(LINE_FEED); at !== -1; at = body.indexOf(LINE_FEED, at + 1)) ends.push(at);
  return (ends.push(body.length), ends);
}
var encoder6 = new TextEncoder();
async function observationsPage({ route, installationId, query }, context2) {
  let asked = observationsQuery(query);
  if (asked === void 0) return invalidQuery(route);
  let { after, limit } = asked,
    named = await namedInstallation(installationId, context2);
  if (named === void 0) return;
  let { history } = named,
    readTile = async (tile, fresh) => {
      let key = observationTileKey(installationId, history ?? "", tile),
        object = await context2.store.get(key, fresh ? { fresh } : void 0);
      if (object !== void 0) return tileFrom(object);
      if (tile < (await publishedTiles(installationId, named, context2)))
        throw new StoreUnavailable(`${key} is missing`);
      return NO_TILE;
    },
    { slices, more } = history === void 0 ? NO_ITEMS : await itemsAfter(after, limit, readTile),
    nextCursor = more ? encodeObservationCursor(after + limit) : null,
    before = `{"schemaVersion":1,"installationId":${JSON.stringify(installationId)},"items":[`,
    behind = `],"nextCursor":${JSON.stringify(nextCursor)}}`,
    body = joinItems(encoder6.encode(before), slices, encoder6.encode(behind));
  return rowAnswer(route, { status: 200, headers: {} }, body);
}
var NO_ITEMS = { slices: [], more: !1 };
async function itemsAfter(after, limit, readTile) {
  if (after >= Number.MAX_SAFE_INTEGER) return NO_ITEMS;
  let number = tileOf(after + 1),
    from = after - number * 128,
    to = from + limit,
    tile = await readTile(number, !1);
  if (tile.ends.length > to) return { slices: [{ tile, from, to }], more: !0 };
  tile.ends.length > 0 && tile.ends.length < 128 && (tile = await readTile(number, !0));
  let count = tile.ends.length,
    first = { tile, from, to: Math.min(to, count) };
  if (count < 128 || count > to) return { slices: [first], more: count > to };
  let next = await readTile(number + 1, !1),
    rest = { tile: next, from: 0, to: Math.min(to - 128, next.ends.length) };
  return { slices: [first, rest], more: next.ends.length > to - 128 };
}
async function publishedTiles(installationId, named, { store }) {
  let key = telemetryKeyOf(installationId, named),
    object = await store.get(key);
  if (object === void 0) return 0;
  checkSubject(key, object, installationId);
  let { position = 0, history = "1" } = decodeStored(object, key).writerMetadata.asof;
  return history === named.history && position > 0 ? tileOf(position) : 0;
}
var ROUTE_HANDLERS = {
    stored,
    "installation-telemetry": installationTelemetry,
    observations: observationsPage,
    activity: activityPage,
  },
  FILE_HANDLERS = { file: storedFile, asset: storedAsset, badge, "publication-status": publicationStatus };
function stored({ route, query }, context2) {
  let object = matchObject(route, query);
  return object === void 0 ? invalidQuery(route) : storedAnswer(route, object.key, context2.store, context2.now());
}
var PREFLIGHT = { status: 204, headers: PREFLIGHT_HEADERS, body: void 0 },
  WRONG_METHOD = plainAnswer(METHOD_NOT_ALLOWED),
  UNKNOWN_PATH = plainAnswer(NOT_FOUND),
  MALFORMED_ID = plainAnswer(badRequest("invalid_installation_id")),
  STORE_UNAVAILABLE = plainAnswer(unavailable("store_unavailable"));
function answer(request, context2) {
  let { method, url } = request;
  if (method === "OPTIONS") return told(PREFLIGHT, void 0, context2);
  if (method !== "GET" && method !== "HEAD") return told(WRONG_METHOD, void 0, context2);
  let target = parseTarget(url),
    match2 = target === void 0 ? void 0 : matchPath(target.path),
    full = match2 === void 0 ? UNKNOWN_PATH : fullAnswer(match2, target?.query ?? "", context2),
    represented = soon(full, (full2) => represent(full2, request, context2));
  return soon(represented, (full2) => told(asAsked(full2, request), match2?.row, context2));
}
function asAsked(full, { method, ifNoneMatch }) {
  let { status, headers, validator } = full;
  return ifNoneMatch !== void 0 && validator !== void 0 && matchesNone(ifNoneMatch, validator.etag)
    ? { status: 304, headers: validator.notModified, body: void 0 }
    : method === "HEAD"
      ? { status, headers, body: void 0 }
      : full;
}
function told(answer2, row, { answered }) {
  return (answered?.(row, answer2.status), answer2);
}
function represent(full, request, context2) {
  let { front, unheardFront, acceptEncoding } = request;
  return front !== void 0
    ? heardAnswer(full, front, context2.now())
    : unheardFront !== void 0
      ? unheardAnswer(full, unheardFront, context2.now())
      : context2.encode === void 0
        ? full
        : context2.encode(full, acceptEncoding);
}
function fullAnswer(match2, query, context2) {
  try {
    let found = rowAnswered(match2, query, context2);
    return found instanceof Promise ? found.catch((error) => failed(error, context2)) : found;
  } catch (error) {
    return failed(error, context2);
  }
}
function rowAnswered({ row, parameter }, query, context2) {
  if (row.kind === "file") {
    let found2 = FILE_HANDLERS[row.handler]({ file: row, asset: parameter ?? "" }, context2);
    return soon(found2, (full) => full ?? UNKNOWN_PATH);
  }
  if (parameter !== void 0 && !isInstallationId(parameter)) return MALFORMED_ID;
  let found = ROUTE_HANDLERS[row.handler]({ route: row, installationId: parameter ?? "", query }, context2);
  return soon(found, (full) => full ?? plainAnswer(unavailable(row.absent)));
}
function failed(error, context2) {
  if (!(error instanceof StoreUnavailable)) throw error;
  return (context2.report?.(error), STORE_UNAVAILABLE);
}
function webHandler(context2) {
  return async ({ method, url, headers }) => {
    let ifNoneMatch = headers.get("if-none-match") ?? void 0,
      { status, headers: answered, body } = await answer({ method, url, ifNoneMatch }, context2);
    return new Response(body ?? null, { status, headers: answered });
  };
}
function collapsed(read) {
  let running = new Map();
  return async (key) => {
    let other = running.get(key);
    if (other === void 0) return start(key);
    let shared = await within(250, other);
    return shared === void 0 ? start(key) : shared.value;
  };
  function start(key) {
    let own = read(key).finally(() => {
      running.get(key) === own && running.delete(key);
    });
    return (running.set(key, own), own);
  }
}
async function within(ms, promise) {
  let timer,
    patience = new Promise((resolve) => {
      timer = setTimeout(() => resolve(void 0), ms);
    });
  try {
    return await Promise.race([promise.then((value) => ({ value })), patience]);
  } finally {
    clearTimeout(timer);
  }
}
function edgeStore(store, cache, now) {
  let read = collapsed(refresh);
  return {
    async get(key, options) {
      if (options?.fresh === !0) return refresh(key);
      let row = matchKey(key);
      if (row === void 0) return store.get(key);
      let kept = await match(cache, key),
        { edgeSeconds, staleIfErrorSeconds } = row,
        age = kept === void 0 ? 1 / 0 : now() - kept.at;
      if (age < edgeSeconds * 1e3) return kept?.object;
      try {
        return await read(key);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || age >= (edgeSeconds + staleIfErrorSeconds) * 1e3) throw error;
        return kept?.object;
      }
    },
  };
  async function refresh(key) {
    let at = now(),
      object = await store.get(key, { fresh: !0 }),
      row = matchKey(key);
    if (object === void 0 || row === void 0) return object;
    let kept = await match(cache, key);
    return kept !== void 0 && builtAt(kept.object) > builtAt(object)
      ? kept.object
      : (await cache.put(urlOf(key), encode(object, at, row)), object);
  }
}
function builtAt({ metadata }) {
  return decodeWriterMetadata(metadata).asof.at;
}
function urlOf(key) {
  return `https://objects.invalid/${encodeURIComponent(key)}`;
}
function encode({ body, contentType, tag, metadata }, at, row) {
  return new Response(Uint8Array.from(body), {
    headers: {
      "cache-control": `max-age=${row.edgeSeconds + row.staleIfErrorSeconds}`,
      "content-type": contentType,
      "noonmark-at": String(at),
      "noonmark-tag": tag,
      "noonmark-metadata": JSON.stringify(metadata),
    },
  });
}
async function match(cache, key) {
  let kept = await cache.match(urlOf(key));
  return kept === void 0
    ? void 0
    : {
        object: {
          body: new Uint8Array(await kept.arrayBuffer()),
          contentType: kept.headers.get("content-type") ?? "",
          tag: kept.headers.get("noonmark-tag") ?? "",
          metadata: JSON.parse(kept.headers.get("noonmark-metadata") ?? "{}"),
        },
        at: Number(kept.headers.get("noonmark-at")),
      };
}
var context,
  worker_default = {
    fetch(request, { STORE, PREFIX }) {
      return (
        (context ??= shimContext({
          store: edgeStore(new R2Store(STORE, PREFIX), globalThis.caches.default, () => Date.now()),
          now: () => Date.now(),
          monotonic: () => performance.now(),
        })),
        webHandler(context)(request)
      );
    },
  };
export { worker_default as default };
