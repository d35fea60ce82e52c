/** Messages for a failed request to an S3 server: the problem, and what to do about it. */
import { noResponse } from "../../values/no-response.ts";

/** The request that failed, for messages. */
export interface Asked {
  /** Scheme, host and port; undefined if the request did not get that far. */
  readonly address: string | undefined;
  /** The time limit of the call, retries included (ms). */
  readonly limitMs: number;
}

/** A message without `says` keeps the server's own words. */
export interface Advice {
  readonly says?: string | undefined;
  readonly todo?: string | undefined;
}

/** A response of another server than S3, such as a proxy's page. */
export class NotS3 extends Error {
  override readonly name = "NotS3";
}

const SETTING = "--s3-endpoint";

/** By the server's code. */
const REFUSED: Readonly<Record<string, string>> = {
  NoSuchBucket: "There is no bucket of this name there. Create it, or correct --store and --s3-endpoint.",
  SignatureDoesNotMatch:
    "The secret does not fit the access key: correct AWS_SECRET_ACCESS_KEY. A proxy that changes requests causes this, too.",
  InvalidAccessKeyId:
    "The server does not know this access key: correct AWS_ACCESS_KEY_ID or --s3-endpoint. If AWS_PROFILE is set, its key is used.",
  AccessDenied:
    "This key may not do that. A publisher needs s3:GetObject, PutObject, DeleteObject and ListBucket; a shim needs the first and the last.",
  RequestTimeTooSkewed: "This machine's clock is wrong: set it (NTP).",
  PermanentRedirect: "The bucket is in another region: set --s3-region to it.",
  AuthorizationHeaderMalformed: "The region is not the bucket's: set --s3-region to it.",
};

/** `code` is the server's, or the error's name. */
export function adviceOn(code: string, error: unknown, { address = "the S3 server", limitMs }: Asked): Advice {
  const { name = "", message = "" } = Object(error) as { name?: string; message?: string };
  if (message.startsWith("Region is missing")) {
    return {
      says: "no region is set",
      todo: "Set the bucket's region: --s3-region, NOONMARK_S3_REGION or AWS_REGION.",
    };
  }
  if (name === "CredentialsProviderError") {
    const isBare = message.startsWith("Could not load credentials");
    return {
      says: `no credentials were found${isBare ? "" : ` (${message})`}`,
      todo: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run under a role.",
    };
  }
  // First: the SDK gives the name TimeoutError to connections that were cut, too.
  const unreached = noResponse(error, { address, setting: SETTING });
  if (unreached !== undefined) return unreached;
  if (name === "AbortError" || name === "TimeoutError") {
    return {
      says: `no response from ${address} within ${limitMs / 1000} s`,
      todo: `Check that the server runs, that ${SETTING} is right, and the network and firewall: curl -v ${address}`,
    };
  }
  if (name === "NotS3" || /hidden field|Deserialization error/.test(message)) {
    const what = name === "NotS3" ? message : "no XML";
    return {
      says: `the response of ${address} is not one of an S3 server (${what})`,
      todo: `Another server responds there, such as a proxy or a console. Name the port of the S3 API in ${SETTING}.`,
    };
  }
  return { todo: REFUSED[code] };
}
