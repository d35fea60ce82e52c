/** Opens the store that a setting names. `location.ts` parses the setting. */
import { Failure } from "../values/failure.ts";
import { FilesystemStore } from "./filesystem/filesystem-store.ts";
import { storeLocation } from "./location.ts";
import type { ObjectStore } from "./object-store.ts";
import { S3_PROVIDERS, type S3ProviderName } from "./s3/providers.ts";

export interface StoreSettings {
  /** True to put and delete; a directory is then created and tested. */
  readonly write: boolean;
  /** True if there is no other writer, so that an S3 server that ignores conditions is accepted. */
  readonly singleWriter?: boolean | undefined;
  /** The S3 bucket's location. Missing settings come from the environment, as in the AWS SDK, or the provider. */
  readonly s3Provider?: S3ProviderName | undefined;
  readonly s3Endpoint?: string | undefined;
  readonly s3Region?: string | undefined;
}

/**
 * Opens a directory or `s3://bucket/prefix`. Throws `Failure` (`invalid_setting`, `store_unusable`, `disk_full`,
 * `conditions_unsupported`) and, for a writer to S3, `StoreUnavailable`.
 */
export async function openStore(location: string, settings: StoreSettings): Promise<ObjectStore> {
  const place = storeLocation(location);
  if (place === undefined) {
    throw new Failure("invalid_setting", `store "${location}" is neither a directory nor s3://bucket/prefix`, {
      hint: "Give a directory or s3://BUCKET/PREFIX.",
    });
  }
  switch (place.kind) {
    case "directory":
      return new FilesystemStore(location, { write: settings.write });
    case "s3":
      return openS3(place.bucket, place.prefix, settings);
  }
}

async function openS3(bucket: string, prefix: string, settings: StoreSettings): Promise<ObjectStore> {
  // Load the SDK only for a bucket.
  const { S3Store } = await import("./s3/s3-store.ts");
  const { s3Provider: provider, s3Endpoint: endpoint, s3Region: region } = settings;
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION } = process.env;
  const given = endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL;
  const preset = S3_PROVIDERS[provider ?? (given === undefined ? "aws" : "other")];
  const chosenRegion = region ?? AWS_REGION ?? preset.region;
  const store = new S3Store({
    bucket,
    prefix,
    singleWriter: settings.singleWriter === true,
    client: {
      forcePathStyle: preset.pathStyle,
      ...(given === undefined ? {} : { endpoint: given }),
      ...(chosenRegion === undefined ? {} : { region: chosenRegion }),
    },
  });
  if (settings.write) await store.probe();
  return store;
}
