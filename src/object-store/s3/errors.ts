/** Interprets failed requests to an S3 server: their meaning, if a retry may help, and the operator's message. */

import { noResponse } from "../../values/no-response.ts";
import { printable } from "../../values/printable.ts";
import { StoreDamaged, StoreUnavailable } from "../object-store.ts";
import type { RetryDecision } from "../retry.ts";

/** A response's body exceeds `MAX_BODY_BYTES`. The rest is not read, and a retry does not help. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

export type S3Refusal =
  /** 404 NoSuchKey, the only sign of absence. */
  | "absent"
  /** 304: the object still has the tag in If-None-Match. */
  | "unchanged"
  /** 412: the condition does not hold. An earlier attempt of the same put may have succeeded. */
  | "condition"
  /** 409: another writer wrote at the same moment. */
  | "contended"
  /** 501, or 400 from a server that does not know the header. */
  | "unsupported"
  /** Overload, or a failure of the server or the network. */
  | "transient"
  /** Credentials, permissions, a missing bucket: a retry does not help. */
  | "final";

export function refusalOf(error: unknown): S3Refusal {
  const { status, code } = responseOf(error);
  if (error instanceof BodyTooLarge || error instanceof NoDate || error instanceof StoreDamaged) return "final";
  if (status === undefined) return isMisconfigured(error) ? "final" : "transient";
  if (status === 404) return code === "NoSuchKey" ? "absent" : "final";
  if (status === 304) return "unchanged";
  if (status === 412) return "condition";
  if (status === 409) return "contended";
  if (status === 501) return "unsupported";
  // The SDK signs the next attempt by the Date of this response.
  if (code === "RequestTimeTooSkewed") return "transient";
  if (status >= 500 || status === 429 || status === 408) return "transient";
  return TRANSIENT_400.has(code) ? "transient" : "final";
}

/** Returns true for errors of the SDK before it sends anything. */
function isMisconfigured(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "CredentialsProviderError" || error.message.startsWith("Region is missing");
}

/** Codes of 400 for a request that arrived incompletely. */
const TRANSIENT_400 = new Set(["RequestTimeout", "IncompleteBody", "SlowDown", "TooManyRequests"]);

export function verdictOf(error: unknown): RetryDecision {
  const refusal = refusalOf(error);
  if (refusal !== "transient" && refusal !== "contended") return { retry: false };
  const afterMs = retryAfter(responseOf(error).headers);
  return { retry: true, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** `what` names the failed operation. The message names no library, because an operator cannot inspect it. */
export function unavailable(what: string, error: unknown, asked: S3Call): StoreUnavailable {
  const { status, code } = responseOf(error);
  const { says, todo } = problemOf(code, error, asked);
  const message = error instanceof Error && error.message !== "UnknownError" ? error.message : "";
  const parts = [
    status === undefined ? `no response from ${asked.address ?? "the S3 server"}:` : status,
    code,
    message,
  ];
  const text = (says ?? parts.filter((part) => part !== "").join(" ")).replaceAll(PACKAGE, "the S3 library");
  return new StoreUnavailable(`${what}: ${printable(text)}`, {
    cause: error,
    hint: todo,
    // NoSuchKey for a whole list: the address is not the bucket's.
    isFinal: refusalOf(error) === "final" || refusalOf(error) === "absent",
  });
}

const PACKAGE = /@(?:aws-sdk|smithy)[\w/-]*/g;

/** Returns the ms of a Retry-After, which is in seconds or a date; a date is compared with the server's Date. */
function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(headers.date ?? "");
  return wait > 0 ? wait : undefined;
}

interface ErrorResponse {
  /** Undefined without a response. */
  readonly status: number | undefined;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The SDK attaches the response to its errors; other errors have none. */
function responseOf(error: unknown): ErrorResponse {
  const { name, $metadata, $response } = error as {
    name?: string;
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number; headers?: Record<string, string> };
  };
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  // An error has status 200 if its body could not be parsed as XML. Its outcome is then unknown.
  return {
    status: status !== undefined && status >= 300 ? status : undefined,
    code: name === undefined || name === "Error" || name === "Unknown" ? "" : name,
    headers: $response?.headers ?? {},
  };
}

/** The request that failed, for messages. */
export interface S3Call {
  /** Scheme, host and port; undefined if no request was sent. */
  readonly address: string | undefined;
  /** Time limit of the call including retries (ms). */
  readonly limitMs: number;
}

/** The response is not from an S3 server but, for example, from a proxy. */
export class NotS3 extends Error {
  override readonly name = "NotS3";
}

/** The server does not say what time it is. */
export class NoDate extends Error {
  override readonly name = "NoDate";
}

/** Replies of an S3 server, by their code. Others have no hint of their own. */
const HINTS = new Map<string, string>([
  ["NoSuchBucket", "The bucket does not exist there. Create it, or correct its name or the endpoint."],
  [
    "SignatureDoesNotMatch",
    "The secret does not match the access key: correct AWS_SECRET_ACCESS_KEY. A proxy that changes requests also causes this.",
  ],
  [
    "InvalidAccessKeyId",
    "The server does not know this access key: correct AWS_ACCESS_KEY_ID or the endpoint. If AWS_PROFILE is set, its key is used.",
  ],
  [
    "AccessDenied",
    "This key may not do that. A publisher needs s3:GetObject, PutObject, DeleteObject and ListBucket; a shim needs the first and the last.",
  ],
  ["NoSuchKey", "No list is there. Give the endpoint without the bucket, which the store's location names."],
  ["RequestTimeTooSkewed", "This machine's clock is wrong: set it (NTP)."],
  ["PermanentRedirect", "The bucket is in another region: set AWS_REGION to it."],
  ["AuthorizationHeaderMalformed", "The region is not the bucket's: set AWS_REGION to it."],
]);

interface S3Problem {
  /** Absent: the message contains the server's text. */
  readonly says?: string;
  readonly todo: string | undefined;
}

/** `code` is the server's, or the error's name. */
function problemOf(code: string, error: unknown, { address = "the S3 server", limitMs }: S3Call): S3Problem {
  const { name, message } = error instanceof Error ? error : { name: "", message: "" };
  if (message.startsWith("Region is missing"))
    return { says: "no region is set", todo: "Set the bucket's region, such as AWS_REGION=eu-central-1." };
  if (name === "CredentialsProviderError") {
    const isBare = message.startsWith("Could not load credentials");
    return {
      says: `no credentials were found${isBare ? "" : ` (${message})`}`,
      todo: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run under a role.",
    };
  }
  // Check this first: the SDK also names cut connections TimeoutError.
  const unreached = noResponse(error, address);
  if (unreached !== undefined) return unreached;
  if (name === "AbortError" || name === "TimeoutError") {
    return {
      says: `no response from ${address} within ${limitMs / 1000} s`,
      todo: `Check that the server runs, that the endpoint is right, and the network and firewall: curl -v ${address}`,
    };
  }
  if (name === "NoDate") {
    return {
      says: `the response of ${address} has no Date`,
      todo: "The lease and the age of receipts need the store's time: let the server, and every proxy before it, send Date.",
    };
  }
  if (name === "NotS3" || /hidden field|Deserialization error/.test(message)) {
    return {
      says: `the response of ${address} is not from an S3 server (${name === "NotS3" ? message : "no XML"})`,
      todo: "Another server responds there, such as a proxy or a console. Set the endpoint to the port of the S3 API.",
    };
  }
  return { todo: HINTS.get(code) };
}
