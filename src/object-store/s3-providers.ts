/** What is known of providers beforehand; `docs/storage.md` says where from. What they make of conditions is probed. */
export interface S3Provider {
  /** `host/bucket/key` instead of `bucket.host/key`. */
  readonly pathStyle: boolean;
  /** Where none is set; undefined where it has to be. */
  readonly region: string | undefined;
}

export const S3_PROVIDERS = {
  aws: { pathStyle: false, region: undefined },
  r2: { pathStyle: true, region: "auto" },
  ceph: { pathStyle: true, region: "default" },
  swift: { pathStyle: true, region: "us-east-1" },
  minio: { pathStyle: true, region: "us-east-1" },
  other: { pathStyle: true, region: "us-east-1" },
} as const satisfies Record<string, S3Provider>;

export type S3ProviderName = keyof typeof S3_PROVIDERS;
