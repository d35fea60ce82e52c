// Before CloudFront's cache (runtime 2.0). docs/cdn.md says how to use it.
const NEVER = ["if-match", "if-unmodified-since", "if-modified-since", "if-range", "range"];

function handler(event) {
  const request = event.request;
  NEVER.forEach(function (name) {
    delete request.headers[name];
  });
  // These routes have no 304.
  if (/^\/v1\/public\/(?:telemetry|modules|installations\/)/.test(request.uri)) delete request.headers["if-none-match"];
  return request;
}
