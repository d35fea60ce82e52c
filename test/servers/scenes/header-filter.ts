/** A front passes on only the API's headers from its origins. */
import { expect, test } from "vitest";
import { TRANSPORT_HEADERS } from "../../support/scripts/script-targets.ts";
import { putLiveWorld } from "../../support/world.ts";
import type { OutageOptions } from "./outage.ts";
import { ask, overProxies } from "./over-proxies.ts";

const OF_THE_API = [
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "access-control-max-age",
  "allow",
  "cache-control",
  "content-length",
  "content-type",
  "etag",
  "retry-after",
  "x-content-type-options",
  "x-service-settlement-fallback-reason",
  "x-service-settlement-source",
];
const TRANSPORT = [...TRANSPORT_HEADERS, "transfer-encoding"];

/** Headers of radosgw and Swift as recorded, of S3, R2, MinIO and of proxies between as documented for GET. */
const OF_STORES = `
accept-ranges age alt-svc cdn-cache-control cf-cache-status cf-ray content-disposition content-language
content-security-policy expires last-modified link nel pragma report-to server server-timing set-cookie
strict-transport-security vary via x-amz-checksum-crc32 x-amz-checksum-crc64nvme x-amz-checksum-type x-amz-expiration
x-amz-id-2 x-amz-missing-meta x-amz-replication-status x-amz-request-id x-amz-server-side-encryption
x-amz-server-side-encryption-aws-kms-key-id x-amz-server-side-encryption-bucket-key-enabled x-amz-storage-class
x-amz-tagging-count x-amz-version-id x-cache x-minio-deployment-id x-openstack-request-id x-powered-by x-ratelimit-limit
x-ratelimit-remaining x-request-id x-rgw-object-type x-timestamp x-trans-id x-xss-protection`;

/** A header of no known store: only a front with an allow list removes it. */
const ODD = "x-odd";

/** Each kind of response: an object's (200, 304, a published 503), composed, passed on, an error. */
const REQUESTS: readonly [status: number, path: string, init?: RequestInit][] = [
  [200, "/v1/public/telemetry"],
  [200, "/v1/public/modules", { method: "HEAD" }],
  [200, "/v4/public/process"],
  [304, "/v4/public/settlements?range=now", { headers: { "if-none-match": "*" } }],
  [200, "/v4/public/settlements?range=7d"],
  [503, "/v2/public/stats?range=30d"],
  [200, "/v1/public/installations/wheel-1/observations"],
  [200, "/v1/public/installations/wheel%2d1/telemetry"],
  [400, "/v4/public/process?a"],
  [404, "/nowhere"],
  [204, "/v4/public/process", { method: "OPTIONS" }],
  [405, "/v4/public/process", { method: "POST" }],
];

/** A front's own headers, with their values. Values from stores and proxies must be removed. */
function isCompressionHeader(name: string, text: string): boolean {
  return (name === "vary" && text === "Accept-Encoding") || (name === "content-encoding" && text === "gzip");
}

export interface HeaderFilterOptions extends Pick<OutageOptions, "world" | "start"> {
  /** Headers of the bucket that the front cannot remove. */
  readonly allowed: readonly string[];
}

export function testHeaderFilter({ world, start, allowed }: HeaderFilterOptions): void {
  test.each(["bucket", "only the shim"] as const)("with %s only the API's headers are passed on", async (way) => {
    // Earlier scenes left other bodies.
    await putLiveWorld(world().store);
    await overProxies(world(), start, async (front, bucket, shim) => {
      const value = "Sat, 21 Nov 2026 21:13:54 GMT";
      bucket.headers = Object.fromEntries([...OF_STORES.trim().split(/\s+/), ODD].map((name) => [name, value]));
      if (way === "only the shim") bucket.otherwise = { status: 503, code: "SlowDown", headers: bucket.headers };
      const seen = new Set<string>();
      for (const [status, path, init] of REQUESTS) {
        const answer = await ask(front, path, init);
        expect([path, answer.status]).toEqual([path, status]);
        for (const [name, text] of answer.headers) if (!isCompressionHeader(name, text)) seen.add(name);
        await answer.text();
      }
      expect([bucket.seen.length > 3, shim.seen.length > 3]).toEqual([true, true]);
      const known = new Set([...OF_THE_API, ...TRANSPORT]);
      expect([...seen].filter((name) => !known.has(name)).sort()).toEqual(way === "bucket" ? allowed.toSorted() : []);
    });
  });
}
