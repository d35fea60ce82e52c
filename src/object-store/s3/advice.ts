/** What an operator does about an S3 server's refusal, by the code that it gives or the SDK's own words. */

const BY_CODE: Readonly<Record<string, string>> = {
  CredentialsProviderError:
    "No credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run under a role.",
  NoSuchBucket:
    "There is no bucket of this name there: make it, or look at the names given by --store and --s3-endpoint.",
  SignatureDoesNotMatch:
    "The secret does not fit the access key: look at AWS_SECRET_ACCESS_KEY; a proxy that changes requests does this too.",
  InvalidAccessKeyId: "The server knows no such access key: look at AWS_ACCESS_KEY_ID and --s3-endpoint.",
  AccessDenied:
    "This key may not do that: a publisher needs s3:GetObject, PutObject, DeleteObject and ListBucket, a shim the first and the last.",
  RequestTimeTooSkewed: "This host's clock is wrong: set it right (NTP).",
  PermanentRedirect: "The bucket is in another region: set --s3-region to that one.",
  AuthorizationHeaderMalformed: "The region is not the bucket's: set --s3-region to that one.",
  ENOTFOUND: "The endpoint's name is unknown: look at --s3-endpoint; some servers need --s3-path-style.",
  EPROTO: "Write http:// in --s3-endpoint, or name the port of https.",
  AbortError: "Look at --s3-endpoint, at the network and at a firewall between, and whether the server runs.",
  TimeoutError: "Look at --s3-endpoint, at the network and at a firewall between, and whether the server runs.",
  ECONNREFUSED: "Nobody listens there: look at --s3-endpoint and whether the server runs.",
};

/** One sentence, undefined where nothing is known to help. `code` is the server's. */
export function adviceOn(code: string, error: unknown): string | undefined {
  if (error instanceof Error && error.message.startsWith("Region is missing")) {
    return "Set the bucket's region: --s3-region, NOONMARK_S3_REGION or AWS_REGION.";
  }
  if (error instanceof Error && /hidden field|Deserialization error/.test(error.message)) {
    return "Another server answers at --s3-endpoint, such as a proxy or a console: name the port of the S3 API.";
  }
  return BY_CODE[code] ?? BY_CODE[String((error as { code?: unknown }).code)];
}
