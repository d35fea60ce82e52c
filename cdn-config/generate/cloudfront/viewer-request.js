/** Runs before CloudFront's cache in runtime 2.0: ECMAScript 5.1 with const and let. */
import { fieldOf } from "./field-of.js";
import {
  DROPPED,
  EDGE,
  FRONT,
  NONE_MATCH,
  PASS,
  PREFLIGHT,
  URLS,
  WRONG_METHOD,
} from "./generated/viewer-request-table.js";

export function handler(event) {
  const request = event.request;
  const headers = request.headers;
  if (request.method === "OPTIONS") return PREFLIGHT;
  if (request.method !== "GET" && request.method !== "HEAD") return WRONG_METHOD;
  const asked = headers["if-none-match"];
  DROPPED.forEach(function (name) {
    delete headers[name];
  });
  Object.keys(headers).forEach(function (name) {
    if (name.indexOf("noonmark-") === 0) delete headers[name];
  });
  if (asked !== undefined) headers[NONE_MATCH] = { value: fieldOf(asked) };
  const query = request.rawQueryString();
  const url = request.uri + (query === undefined ? "" : "?" + query);
  const known = URLS.filter(function (row) {
    return row[0].test(url);
  })[0];
  headers[FRONT] = { value: known === undefined ? PASS : EDGE };
  if (known !== undefined && known[1] !== null) request.querystring = known[1];
  return request;
}
