/** Runs after CloudFront's cache in runtime 2.0 (ECMAScript 5.1 with const and let). The body is not readable. */
import { matchesNone } from "../matches-none.js";
import { fieldOf } from "./field-of.js";
import {
  CACHE_CONTROL,
  KEPT_UNTIL,
  NONE_MATCH,
  NOT_MODIFIED,
  NOT_ON_304,
  STATUS,
  TRUSTED,
  UNAVAILABLE,
} from "./generated/viewer-response-table.js";

// CloudFront skips this function for statuses of 400 or more, so the shim sends those ready for the client.
export function handler(event) {
  const response = event.response;
  const headers = response.headers;
  const asked = event.request.headers["if-none-match"] || event.request.headers[NONE_MATCH];
  const cacheControl = take(headers, CACHE_CONTROL);
  const status = take(headers, STATUS);
  const keptUntil = take(headers, KEPT_UNTIL);
  const notModified = take(headers, NOT_MODIFIED);
  take(headers, TRUSTED);
  // CloudFront kept the response for too long: an error is better than a wrong response.
  if (keptUntil !== undefined && Number(keptUntil) <= Date.now()) return unavailable(event.request.method, headers);
  delete headers["cache-control"];
  if (cacheControl !== undefined) headers["cache-control"] = { value: cacheControl };
  if (status !== undefined) response.statusCode = Number(status);
  const etag = headers.etag;
  if (
    asked !== undefined &&
    notModified !== undefined &&
    etag !== undefined &&
    matchesNone(fieldOf(asked), etag.value)
  ) {
    if (notModified !== "tag") delete headers.etag;
    NOT_ON_304.forEach(function (name) {
      delete headers[name];
    });
    response.statusCode = 304;
    response.statusDescription = "Not Modified";
    response.body = "";
  }
  return response;
}

function take(headers, name) {
  const found = headers[name];
  delete headers[name];
  return found === undefined ? undefined : found.value;
}

/** Returns the 503. It keeps the headers of CloudFront and removes those of the old response. */
function unavailable(method, headers) {
  Object.keys(headers).forEach(function (name) {
    if (name === "etag" || name.indexOf("x-service-") === 0) delete headers[name];
  });
  NOT_ON_304.forEach(function (name) {
    delete headers[name];
  });
  Object.keys(UNAVAILABLE.headers).forEach(function (name) {
    headers[name] = UNAVAILABLE.headers[name];
  });
  headers["content-length"] = { value: String(UNAVAILABLE.body.length) };
  return { statusCode: UNAVAILABLE.statusCode, headers: headers, body: method === "HEAD" ? "" : UNAVAILABLE.body };
}
