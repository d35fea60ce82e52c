/** Known properties of providers, with sources in `docs/storage.md`. Support for conditions is probed instead. */
export interface S3Provider {
  /** `host/bucket/key` instead of `bucket.host/key`. */
  readonly pathStyle: boolean;
  /** The default region; undefined if the operator must set it. */
  readonly region: string | undefined;
}

const PROVIDERS = {
  aws: { pathStyle: false, region: undefined },
  r2: { pathStyle: true, region: "auto" },
  ceph: { pathStyle: true, region: "default" },
  minio: { pathStyle: true, region: "us-east-1" },
  other: { pathStyle: true, region: "us-east-1" },
} as const satisfies Record<string, S3Provider>;

export type S3ProviderName = keyof typeof PROVIDERS;
export const S3_PROVIDERS: Readonly<Record<S3ProviderName, S3Provider>> = PROVIDERS;
