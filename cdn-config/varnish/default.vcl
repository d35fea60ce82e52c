# Varnish 7 in front of the bucket and the shim. Change the two addresses, and the bucket's path, here and in vcl_backend_fetch.
# docs/cdn.md says how to start it, and what it cannot do.
vcl 4.1;
import std;

backend bucket {
  .host = "127.0.0.1";
  .port = "8080";
  .host_header = "127.0.0.1:8080";
  # While it fails, the shim is asked at once.
  .probe = { .url = "/noonmark/public/installations"; .interval = 2s; .timeout = 0.5s; .window = 1; .threshold = 1; .initial = 1; }
  .connect_timeout = 0.3s;
  .first_byte_timeout = 0.5s;
  .between_bytes_timeout = 1s;
}

backend shim {
  .host = "127.0.0.1";
  .port = "8787";
  .host_header = "127.0.0.1:8787";
  .connect_timeout = 0.3s;
  .first_byte_timeout = 1s;
  .between_bytes_timeout = 1s;
  .probe = { .url = "/healthz"; .interval = 1s; .timeout = 0.5s; .window = 1; .threshold = 1; .initial = 1; }
}

# A canonical URL is that of an object. Other known URLs are kept, too, but the shim composes their responses.
sub vcl_recv {
  if (req.restarts == 0) {
    unset req.http.X-Stale;
    unset req.http.X-Object;
    unset req.http.X-None-Match;
    unset req.http.X-Passed;
    # vcl_deliver evaluates tags. The API has no dates and no ranges.
    if (req.http.If-None-Match) {
      std.collect(req.http.If-None-Match);
      set req.http.X-None-Match = req.http.If-None-Match;
      unset req.http.If-None-Match;
    }
    unset req.http.If-Modified-Since;
    unset req.http.Range;
  }
  # The shim's health is not for readers.
  if (req.url ~ "^/(?:healthz|readyz)(?:\?|$)") { return (synth(404)); }
  if (req.method == "OPTIONS") { return (pass); }
  if (req.method != "GET" && req.method != "HEAD") { return (synth(405)); }
  # Stale for a second while a fetch is under way. After a failed fetch, for as long as the object says.
  set req.grace = 1s;
  if (req.http.X-Stale) { set req.grace = 60s; }

  if (req.url ~ "^/(?:v1/public/(?:telemetry|modules|installations/[^/?]+/telemetry)|docs|openapi\.json|deployment\.json|status\.json|robots\.txt|favicon\.svg|assets/[^?]+|log/[^?]+)?\?") {
    set req.url = regsub(req.url, "\?.*$", "");
  }
  if (req.url ~ "^/(?:v1/public/telemetry|v1/public/modules|v4/public/process|v4/public/onchain)$") {
    set req.http.X-Object = regsub(req.url, "^/", "");
  } elsif (req.url == "/v4/public/settlements?range=now&queue=1") {
    set req.http.X-Object = "v4/public/settlements/queue";
  } elsif (req.url ~ "^/(?:v2/public/stats\?range=(?:7d|30d)|v[34]/public/settlements\?range=(?:now|24h|7d|30d))$") {
    set req.http.X-Object = regsub(regsub(req.url, "^/", ""), "\?range=", "/");
  } elsif (req.url == "/") {
    set req.http.X-Object = "site/index.html";
  } elsif (req.url == "/docs") {
    set req.http.X-Object = "site/docs.html";
  } elsif (req.url ~ "^/(?:openapi\.json|deployment\.json|robots\.txt|favicon\.svg)$") {
    set req.http.X-Object = "site" + req.url;
  } elsif (req.url !~ "^/(?:v1/public/installations/[A-Za-z0-9._:-]{1,128}/telemetry|status\.json|assets/[A-Za-z0-9_.-]+|log/[a-z0-9/.]+)$"
      && req.url !~ "^/v1/public/installations/[A-Za-z0-9._:-]{1,128}/observations(?:\?(?:cursor=[A-Za-z0-9_-]{1,24})?&?(?:limit=[0-9]{1,3})?)?$"
      && req.url !~ "^/v1/public/activity(?:\?(?:category=[a-z]{1,12})?&?(?:limit=[0-9]{1,3})?&?(?:cursor=[A-Za-z0-9_-]{1,512})?)?$") {
    set req.http.X-Passed = "1";
    return (pass);
  }
  # The shim judges what is not a list of at most fifty tags.
  if (req.http.X-None-Match && req.http.X-None-Match !~ {"^[ \t]*(?:\*|(?:W/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W/)?"[^"]*"){0,49})[ \t]*$"}) {
    set req.http.X-Passed = "1";
    return (pass);
  }
  if (!std.healthy(bucket)) { unset req.http.X-Object; }
  return (hash);
}

sub vcl_hash {
  hash_data(req.url);
  return (lookup);
}

sub vcl_backend_fetch {
  # What a client sends is nobody's business but the shim's when it judges the request itself.
  if (bereq.http.X-Passed && bereq.http.X-None-Match) { set bereq.http.If-None-Match = bereq.http.X-None-Match; }
  unset bereq.http.X-None-Match;
  unset bereq.http.X-Passed;
  unset bereq.http.Authorization;
  unset bereq.http.Cookie;
  unset bereq.http.Origin;
  unset bereq.http.Accept-Encoding;
  unset bereq.http.If-Match;
  unset bereq.http.If-Unmodified-Since;
  unset bereq.http.If-Range;
  unset bereq.http.Host;
  unset bereq.http.X-Forwarded-For;
  unset bereq.http.Via;
  if (bereq.http.X-Object && bereq.retries == 0 && !bereq.uncacheable) {
    set bereq.backend = bucket;
    set bereq.http.X-Url = bereq.url;
    set bereq.url = "/noonmark/public/" + bereq.http.X-Object;
  } else {
    set bereq.backend = shim;
    unset bereq.http.X-Url;
  }
}

sub vcl_backend_response {
  set beresp.keep = 0s;
  set beresp.grace = 0s;
  if (bereq.backend == bucket) {
    set bereq.url = bereq.http.X-Url;
    # Missing, forbidden, an error, or past valid-until: the shim knows.
    if (beresp.status != 200 || beresp.http.x-amz-meta-status != "200") { return (retry); }
    if (bereq.url ~ "^/v1/public/(?:telemetry|modules)$") {
      set beresp.ttl = 1s;
      set beresp.grace = 60s;
    } elsif (bereq.url == "/v4/public/process") {
      set beresp.ttl = 1s;
      set beresp.grace = 1s;
    } elsif (bereq.url ~ "^/v[234]/public/") {
      set beresp.ttl = 5s;
      set beresp.grace = 1s;
    } else {
      set beresp.ttl = 60s;
      set beresp.grace = 1s;
    }
    if (beresp.http.x-amz-meta-valid-until) {
      # Milliseconds. Nothing is served past it, also while the origins fail.
      set beresp.http.X-Until = regsub(beresp.http.x-amz-meta-valid-until, "(...)$", ".\1");
      if (std.time(beresp.http.X-Until, now) <= now) { return (retry); }
      if (std.time(beresp.http.X-Until, now) - now < beresp.ttl) { set beresp.ttl = std.time(beresp.http.X-Until, now) - now; }
      if (std.time(beresp.http.X-Until, now) - now - beresp.ttl < beresp.grace) { set beresp.grace = std.time(beresp.http.X-Until, now) - now - beresp.ttl; }
    }
    call copied_headers;
  } else {
    # A failing store is hidden by a stale response, if there is one.
    if (beresp.status >= 500 && beresp.http.CDN-Cache-Control == "no-store" && !bereq.uncacheable
        && bereq.url ~ "^/v1/public/(?:telemetry|modules|installations/)" && !bereq.http.X-Stale) { return (abandon); }
    if (beresp.http.CDN-Cache-Control ~ "max-age=") {
      set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*max-age=([0-9]+).*$", "\1s"), 0s);
      set beresp.grace = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*stale-if-error=([0-9]+).*$", "\1s"), 0s);
    } else {
      # Requests for it do not wait for each other.
      set beresp.ttl = 1s;
      set beresp.uncacheable = true;
    }
    unset beresp.http.Vary;
  }
  unset beresp.http.CDN-Cache-Control;
  if (beresp.status == 200 && !beresp.uncacheable && std.integer(beresp.http.Content-Length, 0) >= 1024
      && beresp.http.Content-Type ~ "^(?:application/json|text/|image/svg)") {
    set beresp.do_gzip = true;
    # Fetched before it is delivered, so that its length is known.
    set beresp.do_stream = false;
    # Varnish would make the tag weak for everybody.
    if (beresp.http.ETag) {
      set beresp.http.X-Tag = beresp.http.ETag;
      unset beresp.http.ETag;
    }
  }
  return (deliver);
}

# The API's headers from the object's metadata, and none of the bucket's own that is known.
sub copied_headers {
  unset beresp.http.ETag;
  unset beresp.http.Cache-Control;
  if (beresp.http.x-amz-meta-etag) { set beresp.http.ETag = beresp.http.x-amz-meta-etag; }
  if (beresp.http.x-amz-meta-cache-control) { set beresp.http.Cache-Control = beresp.http.x-amz-meta-cache-control; }
  if (beresp.http.x-amz-meta-settlement-source) { set beresp.http.X-Service-Settlement-Source = beresp.http.x-amz-meta-settlement-source; }
  if (beresp.http.x-amz-meta-fallback-reason) { set beresp.http.X-Service-Settlement-Fallback-Reason = beresp.http.x-amz-meta-fallback-reason; }
  set beresp.http.X-Content-Type-Options = "nosniff";
  if (bereq.http.X-Object ~ "\.html$") {
    set beresp.http.Content-Security-Policy = beresp.http.x-amz-meta-content-security-policy;
    set beresp.http.Referrer-Policy = beresp.http.x-amz-meta-referrer-policy;
  } else {
    unset beresp.http.Content-Security-Policy;
    unset beresp.http.Referrer-Policy;
    set beresp.http.Access-Control-Allow-Origin = "*";
    set beresp.http.Access-Control-Expose-Headers = "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason";
  }
  unset beresp.http.X-Until;
  unset beresp.http.x-amz-meta-etag;
  unset beresp.http.x-amz-meta-cache-control;
  unset beresp.http.x-amz-meta-settlement-source;
  unset beresp.http.x-amz-meta-fallback-reason;
  unset beresp.http.x-amz-meta-content-security-policy;
  unset beresp.http.x-amz-meta-referrer-policy;
  unset beresp.http.x-amz-meta-status;
  unset beresp.http.x-amz-meta-states;
  unset beresp.http.x-amz-meta-valid-until;
  unset beresp.http.x-amz-meta-successors;
  unset beresp.http.x-amz-meta-at;
  unset beresp.http.x-amz-meta-position;
  unset beresp.http.x-amz-meta-noonmark-put;
  unset beresp.http.x-amz-meta-sha256;
  unset beresp.http.x-amz-request-id;
  unset beresp.http.x-amz-id-2;
  unset beresp.http.x-amz-version-id;
  unset beresp.http.x-amz-storage-class;
  unset beresp.http.x-amz-server-side-encryption;
  unset beresp.http.x-rgw-object-type;
  unset beresp.http.Age;
  unset beresp.http.Via;
  unset beresp.http.Pragma;
  unset beresp.http.Link;
  unset beresp.http.Alt-Svc;
  unset beresp.http.NEL;
  unset beresp.http.Report-To;
  unset beresp.http.Server-Timing;
  unset beresp.http.Strict-Transport-Security;
  unset beresp.http.X-XSS-Protection;
  unset beresp.http.X-Powered-By;
  unset beresp.http.X-Request-Id;
  unset beresp.http.X-Cache;
  unset beresp.http.CF-Ray;
  unset beresp.http.CF-Cache-Status;
  unset beresp.http.Content-Disposition;
  unset beresp.http.Content-Language;
  unset beresp.http.x-amz-expiration;
  unset beresp.http.x-amz-missing-meta;
  unset beresp.http.x-amz-replication-status;
  unset beresp.http.x-amz-checksum-crc32;
  unset beresp.http.x-amz-checksum-crc64nvme;
  unset beresp.http.x-amz-checksum-type;
  unset beresp.http.x-amz-server-side-encryption-aws-kms-key-id;
  unset beresp.http.x-amz-server-side-encryption-bucket-key-enabled;
  unset beresp.http.x-amz-tagging-count;
  unset beresp.http.x-trans-id;
  unset beresp.http.x-openstack-request-id;
  unset beresp.http.x-timestamp;
  unset beresp.http.x-minio-deployment-id;
  unset beresp.http.x-ratelimit-limit;
  unset beresp.http.x-ratelimit-remaining;
  unset beresp.http.Last-Modified;
  unset beresp.http.Expires;
  unset beresp.http.Server;
  unset beresp.http.Set-Cookie;
  unset beresp.http.Vary;
}

sub vcl_backend_error {
  if (bereq.http.X-Object && bereq.retries == 0 && !bereq.uncacheable) {
    set bereq.url = bereq.http.X-Url;
    return (retry);
  }
  return (abandon);
}

sub vcl_synth {
  if (resp.status == 503 && !req.http.X-Stale && !req.http.X-Passed && req.method ~ "^(?:GET|HEAD)$") {
    set req.http.X-Stale = "1";
    return (restart);
  }
  unset resp.http.Server;
  unset resp.http.X-Varnish;
  unset resp.http.Via;
  set resp.http.Access-Control-Allow-Origin = "*";
  set resp.http.Access-Control-Expose-Headers = "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason";
  set resp.http.X-Content-Type-Options = "nosniff";
  set resp.http.Content-Type = "application/json; charset=utf-8";
  if (resp.status == 404) {
    set resp.body = """{"error":"not_found"}""";
    return (deliver);
  }
  if (resp.status == 405) {
    set resp.http.Allow = "GET, HEAD, OPTIONS";
    set resp.body = """{"error":"method_not_allowed"}""";
    return (deliver);
  }
  if (resp.status < 500) {
    # Varnish itself refuses the request.
    set resp.body = """{"error":"bad_request"}""";
    return (deliver);
  }
  set resp.http.Cache-Control = "no-store";
  set resp.http.Retry-After = "2";
  set resp.status = 503;
  set resp.body = """{"error":"store_unavailable"}""";
  return (deliver);
}

sub vcl_deliver {
  unset resp.http.X-Varnish;
  unset resp.http.Via;
  unset resp.http.Age;
  unset resp.http.Accept-Ranges;
  set resp.http.Date = now;
  if (resp.http.X-Tag) {
    # What is sent compressed has a weak tag.
    if (req.http.Accept-Encoding) { set resp.http.ETag = "W/" + resp.http.X-Tag; } else { set resp.http.ETag = resp.http.X-Tag; }
    unset resp.http.X-Tag;
  }
  if (req.http.X-None-Match && !req.http.X-Passed && resp.status == 200 && resp.http.ETag && req.url !~ "^/v1/public/"
      && (req.http.X-None-Match ~ "^[ \t]*\*[ \t]*$" || std.strstr(req.http.X-None-Match, regsub(resp.http.ETag, "^W/", "")))) {
    set resp.status = 304;
    unset resp.http.Content-Type;
    unset resp.http.Content-Length;
    unset resp.http.Content-Encoding;
    unset resp.http.Content-Security-Policy;
    unset resp.http.Referrer-Policy;
    if (req.url ~ "^/v[34]/public/settlements\?") { unset resp.http.ETag; }
  }
  return (deliver);
}
