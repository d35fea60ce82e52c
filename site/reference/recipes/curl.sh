#!/bin/sh
# BASE is where the API is served, such as https://wheel.example
set -eu

# The newest measurement. "offline" and "stale" are data, not errors.
curl --fail --silent --show-error "$BASE/v1/public/telemetry"
echo

# What has not changed costs no body: the second time this is a 304.
for time in first second; do
  curl --fail --silent --show-error --output process.json --write-out "$time: %{http_code}\n" \
    --etag-compare process.etag --etag-save process.etag "$BASE/v4/public/process"
done

# A 304 of the settlements has no ETag. An empty file must not replace the one that was saved.
for time in first second third; do
  curl --fail --silent --show-error --output settlements.json \
    --write-out "settlements, $time: %{http_code}\n" \
    --etag-compare settlements.etag --etag-save new.etag "$BASE/v4/public/settlements?range=now"
  if [ -s new.etag ]; then mv new.etag settlements.etag; fi
done

# A 503 says when to ask again: --retry heeds Retry-After.
curl --fail --silent --show-error --retry 3 --output statistics.json "$BASE/v2/public/stats?range=7d"
