/**
 * Implements what nginx's directives cannot express. njs 0.7 supports an old ECMAScript without modules. Requests for
 * cached responses without unusual conditions never run this script.
 */
import { matchesNone } from "../matches-none.js";
import {
  COMMON_HEADERS,
  COMPRESSED_CONTENT_TYPES,
  COMPRESSED_FROM,
  CONTENT_TYPE,
  HEADERS,
  NO_SNIFF,
  OWN_HEADERS,
  PASSED,
  PUBLISHED,
  PUBLISHED_ERROR_SECONDS,
  ROUTES,
  TRUSTED,
  UNAVAILABLE,
  VALID_UNTIL,
} from "./generated/table.js";

/** Allowance (ms) for nginx's cached clock, which does not advance while a worker is busy. */
const CLOCK_MARGIN_MS = 50;
/** Seconds for which other clients get the old response while one request fetches the new one. */
const STALE_WHILE_UPDATING_SECONDS = 1;

/** Builds the response to a cache miss, and sets how long nginx may cache it. */
async function respond(r) {
  const parts = r.headersIn["noonmark-object"].split(" ");
  const route = ROUTES[parts[0]];
  const key = parts.length === 2 ? undefined : parts[1];
  const stored = await fromBucket(r, route, key, "");
  let found = stored.found || (await fromShim(r, route, "", stored.date)) || (await fromShim(r, route, "fresh", 0));
  if (found === undefined && route.staleIfErrorSeconds > 0) {
    const old = await fromBucket(r, route, key, "-stale");
    found = old.found || (await fromShim(r, route, "-stale", old.date));
    // Not cached, because a response that may hide a failing origin must be requested each time.
    if (found !== undefined) found.seconds = 0;
  }
  hand(r, route, found || UNAVAILABLE);
}

/** Reads the stored response. `date` is the object's Date even if it expired: nothing older may be served. */
async function fromBucket(r, route, key, stale) {
  if (key === undefined) return { date: 0 };
  const kept = await r.subrequest("/ask/bucket/" + route.edgeSeconds + stale + "/" + key, { method: "GET" });
  let reply = kept;
  // nginx caches a published error as long as any 200 object, so the script requests it again each second.
  if (statusOf(kept) !== 200) reply = await r.subrequest("/ask/bucket/error/" + key, { method: "GET" });
  if (dateOf(reply) < dateOf(kept)) return { date: dateOf(kept) };
  const meta = reply.headersOut["x-amz-meta-headers"];
  if (reply.status !== 200 || meta === undefined) return { date: 0 };
  const status = statusOf(reply);
  const seconds = status === 200 ? route.edgeSeconds : PUBLISHED_ERROR_SECONDS;
  const date = dateOf(reply);
  const until = reply.headersOut["x-amz-meta-valid-until"];
  if (!holds(date, until, status === 200 ? keptSeconds(route, stale) : seconds)) return { date: date };
  const headers = JSON.parse(meta);
  return { date: date, found: foundIn(reply, { status: status, headers: headers, until: until, seconds: seconds }) };
}

/** "fresh" bypasses the cache and accepts any status. Otherwise returns only responses that a cache may keep. */
async function fromShim(r, route, how, notBefore) {
  const url = r.headersIn["noonmark-object"].split(" ").pop();
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const args = mark < 0 ? "" : url.slice(mark + 1);
  const where = how === "fresh" ? "fresh" : route.edgeSeconds + how;
  const reply = await r.subrequest("/ask/shim/" + where + path, { method: "GET", args: args });
  const until = reply.headersOut[VALID_UNTIL];
  let seconds = 0;
  if (how === "fresh") {
    // nginx's own 502 and 504 are HTML pages, not API responses. If the shim fails, a stale response is preferred.
    if (reply.status >= 500 && (route.staleIfErrorSeconds > 0 || reply.status !== 503)) return undefined;
  } else {
    const published = reply.headersOut[PUBLISHED] !== undefined;
    if (reply.headersOut[TRUSTED] === undefined || (reply.status !== 200 && !published)) return undefined;
    if (dateOf(reply) < notBefore) return undefined;
    seconds = published ? PUBLISHED_ERROR_SECONDS : route.edgeSeconds;
    if (!holds(dateOf(reply), until, published ? seconds : keptSeconds(route, how))) return undefined;
  }
  const headers = {};
  HEADERS.forEach((name) => {
    const value = reply.headersOut[name];
    if (value !== undefined) headers[name] = value;
  });
  Object.keys(OWN_HEADERS).forEach((name) => {
    if (reply.headersOut[name] === OWN_HEADERS[name]) headers[name] = OWN_HEADERS[name];
  });
  return foundIn(reply, { status: reply.status, headers: headers, until: until, seconds: seconds });
}

function foundIn(reply, found) {
  const isNew = reply.headersOut["noonmark-kept"] === "MISS" || reply.headersOut["noonmark-kept"] === "EXPIRED";
  found.body = reply.responseBuffer;
  found.type = reply.headersOut["Content-Type"];
  // The age of a newly fetched object is not computed, because the store's clock may differ from ours.
  found.from = isNew ? undefined : dateOf(reply);
  return found;
}

function keptSeconds(route, stale) {
  return route.edgeSeconds + (stale === "" ? 0 : route.staleIfErrorSeconds);
}

/** Returns the status of the stored response. */
function statusOf(reply) {
  return Number(reply.headersOut["x-amz-meta-status"] || "200");
}

function dateOf(reply) {
  return Date.parse(reply.headersOut.Date) || 0;
}

/** True before valid-until and within `seconds` of `date`, plus 2 s because Date and nginx count whole seconds. */
function holds(date, validUntil, seconds) {
  const now = Date.now();
  if (validUntil !== undefined && Number(validUntil) <= now) return false;
  return now - date < (seconds + 2) * 1000;
}

/** Sends the client's response to the cache, in a form whose tags nginx evaluates as the API does. */
function hand(r, route, found) {
  const headers = found.headers;
  const last = lastSecond(found);
  r.headersOut["Content-Type"] = found.status === 200 ? typeOf(route, found) : CONTENT_TYPE;
  const always = found.status === 200 && !route.cors ? NO_SNIFF : COMMON_HEADERS;
  Object.keys(always).forEach((name) => {
    r.headersOut[name] = always[name];
  });
  Object.keys(headers).forEach((name) => {
    if (name === "etag") r.headersOut["noonmark-etag"] = (isCompressed(r, route, found) ? "W/" : "") + headers[name];
    else if (isPrefixed(name)) r.headersOut["noonmark-" + name] = headers[name];
    else r.headersOut[name] = headers[name];
  });
  if (route.conditional && found.status === 200 && headers.etag !== undefined) {
    r.headersOut.ETag = headers.etag;
    r.headersOut["noonmark-not-modified"] = route.notModifiedTag ? "tag" : "no-tag";
  }
  if (last === undefined) {
    r.headersOut["X-Accel-Expires"] = "0";
    // nginx evaluates If-None-Match only on cacheable responses.
    const asked = r.headersIn["noonmark-none-match"];
    if (asked !== undefined && r.headersOut.ETag !== undefined && matchesNone(asked, headers.etag)) {
      delete r.headersOut["Content-Type"];
      r.status = 304;
      r.sendHeader();
      r.finish();
      return;
    }
  } else {
    // The order matters: nginx ignores a Cache-Control that follows X-Accel-Expires.
    const longer = Math.min(STALE_WHILE_UPDATING_SECONDS, lastBefore(found.until) - last);
    r.headersOut["Cache-Control"] = "stale-while-revalidate=" + longer + ", stale-if-error=0";
    r.headersOut["X-Accel-Expires"] = "@" + last;
  }
  r.return(found.status, found.body);
}

/** Predicts if nginx's filters will compress the body. They do not weaken the tag in noonmark-etag. */
function isCompressed(r, route, found) {
  if (!r.headersIn["Accept-Encoding"] || found.status !== 200) return false;
  return found.body.length >= COMPRESSED_FROM && COMPRESSED_CONTENT_TYPES.indexOf(typeOf(route, found)) >= 0;
}

/** Returns the route's Content-Type, or that of the object for assets. */
function typeOf(route, found) {
  return route.contentType || found.type || CONTENT_TYPE;
}

/** True for headers that some statuses lack. They travel as `noonmark-NAME`. */
function isPrefixed(name) {
  return name === "etag" || name === "cache-control" || OWN_HEADERS[name] !== undefined;
}

/** Returns the last second (epoch) in which a cache may serve the response; undefined if it is not cacheable. */
function lastSecond(found) {
  if (!(found.seconds > 0)) return undefined;
  const now = Math.floor(Date.now() / 1000);
  const age = found.from === undefined ? 0 : Math.max(0, now - Math.floor(found.from / 1000));
  const last = Math.min(now + found.seconds - age, lastBefore(found.until));
  return last < now ? undefined : last;
}

/** Returns the last whole second before valid-until. nginx serves an entry until the end of its last second. */
function lastBefore(validUntil) {
  return validUntil === undefined ? Infinity : Math.floor((Number(validUntil) - CLOCK_MARGIN_MS) / 1000) - 1;
}

/** Evaluates conditions that nginx evaluates differently from the API, against the cached response. */
async function judged(r) {
  const reply = await r.subrequest("/_noonmark/fetched", { method: "GET" });
  if (reply.status === 502 || reply.status === 504) {
    r.internalRedirect("@noonmark_unavailable");
    return;
  }
  const fetched = reply.headersOut;
  const etag = fetched["noonmark-etag"];
  const asked = r.headersIn["If-None-Match"];
  const notModified = fetched["noonmark-not-modified"];
  const isMatch = asked !== undefined && notModified !== undefined && matchesNone(asked, etag);
  const ofBody = isMatch ? [] : ["Content-Encoding", "Content-Type"];
  HEADERS.concat(["Vary"], Object.keys(COMMON_HEADERS), ofBody).forEach((name) => {
    if (fetched[name] !== undefined && !isPrefixed(name)) r.headersOut[name] = fetched[name];
  });
  Object.keys(OWN_HEADERS).forEach((name) => {
    if (fetched["noonmark-" + name] !== undefined && !isMatch) r.headersOut[name] = fetched["noonmark-" + name];
  });
  r.variables.noonmark_judged_cache_control = fetched["noonmark-cache-control"] || "";
  r.variables.noonmark_judged_etag = etag === undefined || (isMatch && notModified === "no-tag") ? "" : etag;
  if (isMatch) {
    r.status = 304;
    r.sendHeader();
    r.finish();
    return;
  }
  // nginx turns any 200 into a 304 for If-None-Match: *. `judgedHeader` restores the status after that check.
  r.return(reply.status === 200 ? NOT_JUDGED : reply.status, reply.responseBuffer);
}

const NOT_JUDGED = 299;

function judgedHeader(r) {
  if (r.status === NOT_JUDGED) r.status = 200;
  if (r.status === 304) delete r.headersOut["Content-Type"];
}

/** Removes headers that a proxy between nginx and the shim may have added. */
function passed(r) {
  const names = [];
  for (const name in r.headersOut) names.push(name);
  names.forEach((name) => {
    if (!isPassed(name.toLowerCase(), String(r.headersOut[name]))) delete r.headersOut[name];
  });
}

function isPassed(name, value) {
  if (name === "vary") return value.toLowerCase() === "accept-encoding";
  return OWN_HEADERS[name] === value || PASSED.indexOf(name) >= 0;
}

export default { respond, judged, judgedHeader, passed };
