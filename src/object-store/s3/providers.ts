/** Known properties of providers, with sources in `docs/storage.md`. Support for conditions is probed instead. */
export interface S3Provider {
  /** `host/bucket/key` instead of `bucket.host/key`. */
  readonly pathStyle: boolean;
  /** The default region; undefined if the operator must set it. */
  readonly region: string | undefined;
  /** Number of consecutive NoSuchKey responses that mean absence; 1 by default. */
  readonly absentAfter?: number;
}

const PROVIDERS = {
  aws: { pathStyle: false, region: undefined },
  r2: { pathStyle: true, region: "auto" },
  ceph: { pathStyle: true, region: "default" },
  // Swift deletes the old file of an overwritten object, and a read at that moment finds neither (1 of 1,200).
  swift: { pathStyle: true, region: "us-east-1", absentAfter: 3 },
  minio: { pathStyle: true, region: "us-east-1" },
  other: { pathStyle: true, region: "us-east-1" },
} as const satisfies Record<string, S3Provider>;

export type S3ProviderName = keyof typeof PROVIDERS;
export const S3_PROVIDERS: Readonly<Record<S3ProviderName, S3Provider>> = PROVIDERS;
