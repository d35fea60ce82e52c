/**
 * Limits of the parts of a deployment: providers' published limits (read 2026-11-22; check before use) and measured
 * figures.
 */

export interface Limit {
  readonly part: string;
  /** The limited quantity, per second. */
  readonly of: "requests" | "gets" | "puts" | "putsOfAKey" | "bits" | "shimRequests";
  readonly perSecond: number;
  /** The provider's page, or a row of docs/performance.md. */
  readonly source: string;
}

const S3 = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html";
const CLOUDFRONT = "https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html";

export const LIMITS: readonly Limit[] = [
  { part: "one key in R2", of: "putsOfAKey", perSecond: 1, source: "https://developers.cloudflare.com/r2/platform/limits" },
  { part: "one key in Google Cloud Storage", of: "putsOfAKey", perSecond: 1, source: "https://docs.cloud.google.com/storage/quotas" },
  { part: "a new bucket in Google Cloud Storage", of: "puts", perSecond: 1_000, source: "https://docs.cloud.google.com/storage/quotas" },
  { part: "a partitioned prefix in S3", of: "gets", perSecond: 5_500, source: S3 },
  { part: "a partitioned prefix in S3", of: "puts", perSecond: 3_500, source: S3 },
  { part: "a CloudFront distribution", of: "requests", perSecond: 250_000, source: CLOUDFRONT },
  { part: "a CloudFront distribution", of: "bits", perSecond: 150e9, source: CLOUDFRONT },
  { part: "one publisher on radosgw", of: "puts", perSecond: 684, source: "store: first publish at 16 in flight" },
  { part: "one radosgw", of: "gets", perSecond: 4_700, source: "wrk, 16 connections" },
  { part: "one Varnish on two shared cores", of: "requests", perSecond: 31_955, source: "fronts: Varnish, 2 kB" },
  { part: "one nginx worker", of: "requests", perSecond: 20_810, source: "fronts: nginx, 2 kB" },
  { part: "one process of serve", of: "requests", perSecond: 50_183, source: "shim: 2 kB" },
  { part: "one process of serve", of: "shimRequests", perSecond: 50_183, source: "shim: 2 kB" },
];
