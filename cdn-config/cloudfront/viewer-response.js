// After CloudFront's cache (runtime 2.0): the readers' Cache-Control in place of the cache's. It does not run for an error.
const READERS = [
  [/^\/(?:v4\/public\/process|v2\/public\/stats|v[34]\/public\/settlements)$/, "public, max-age=0, must-revalidate"],
  [/^\/(?:v4\/public\/onchain|v1\/public\/activity|status\.json)$/, "no-store"],
  [/^\/(?:assets\/|log\/[0-9]+\/tile\/[^.]+$)/, "public, max-age=31536000, immutable"],
  [/^\/log\//, "public, max-age=0, must-revalidate"],
  [/^\/(?:docs|openapi\.json|deployment\.json|robots\.txt|favicon\.svg)?$/, "no-cache"],
];

function handler(event) {
  const uri = event.request.uri;
  const response = event.response;
  const found = READERS.filter(function (row) {
    return row[0].test(uri);
  })[0];
  delete response.headers["cache-control"];
  if (found !== undefined && event.request.method !== "OPTIONS") response.headers["cache-control"] = { value: found[1] };
  if (response.statusCode === 304) {
    ["content-type", "content-security-policy", "referrer-policy"].forEach(function (name) {
      delete response.headers[name];
    });
    if (/^\/v[34]\/public\/settlements$/.test(uri)) delete response.headers.etag;
  }
  return response;
}
