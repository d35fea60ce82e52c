/** What is known of providers beforehand; `docs/storage.md` says where from. What they make of conditions is probed. */
export interface S3Provider {
  /** `host/bucket/key` instead of `bucket.host/key`. */
  readonly pathStyle: boolean;
  /** Where none is set; undefined where it has to be. */
  readonly region: string | undefined;
  /** How often in a row a read must be answered NoSuchKey for the object to be absent; once where not said. */
  readonly absentAfter?: number;
}

const PROVIDERS = {
  aws: { pathStyle: false, region: undefined },
  r2: { pathStyle: true, region: "auto" },
  ceph: { pathStyle: true, region: "default" },
  // It removes the old file of an object that is put over, and a read just then finds neither (1 of 1,200 in a test).
  swift: { pathStyle: true, region: "us-east-1", absentAfter: 3 },
  minio: { pathStyle: true, region: "us-east-1" },
  other: { pathStyle: true, region: "us-east-1" },
} as const satisfies Record<string, S3Provider>;

export type S3ProviderName = keyof typeof PROVIDERS;
export const S3_PROVIDERS: Readonly<Record<S3ProviderName, S3Provider>> = PROVIDERS;
