/** A failed request to an S3 server: its meaning, if another try may help, and the message with a remedy. */

import { type Advice, noResponse } from "../../values/no-response.ts";
import { printable } from "../../values/printable.ts";
import { StoreDamaged, StoreUnavailable } from "../object-store.ts";
import type { Verdict } from "../retry.ts";

/** A response's body is above `MAX_BODY_BYTES`. It is not read any further, and a retry does not help. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

export type Refusal =
  /** 404 NoSuchKey: the only sign of absence. */
  | "absent"
  /** 412: the condition does not hold. An earlier try of the same put may have succeeded. */
  | "condition"
  /** 409: another writer at the same moment. */
  | "contended"
  /** 501, or 400 if a server does not know the header. */
  | "unsupported"
  /** Overload, a fault of the server or of the way there. */
  | "transient"
  /** Credentials, rights, a missing bucket, a wrong clock: a retry does not help. */
  | "final";

export function refusalOf(error: unknown): Refusal {
  const { status, code } = answerOf(error);
  if (error instanceof BodyTooLarge || error instanceof StoreDamaged) return "final";
  if (status === undefined) return isMisconfigured(error) ? "final" : "transient";
  if (status === 404) return code === "NoSuchKey" ? "absent" : "final";
  if (status === 412) return "condition";
  if (status === 409) return "contended";
  if (status === 501) return "unsupported";
  if (status >= 500 || status === 429 || status === 408) return "transient";
  return TRANSIENT_400.has(code) ? "transient" : "final";
}

/** Errors of the SDK before it sends anything. */
function isMisconfigured(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "CredentialsProviderError" || error.message.startsWith("Region is missing");
}

/** Codes of a 400 to a request that arrived in part. */
const TRANSIENT_400 = new Set(["RequestTimeout", "IncompleteBody", "SlowDown", "TooManyRequests"]);

export function verdictOf(error: unknown): Verdict {
  const refusal = refusalOf(error);
  if (refusal !== "transient" && refusal !== "contended") return { retry: false };
  const afterMs = retryAfter(answerOf(error).headers);
  return { retry: true, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** `what` names the failed operation. The message names no library, because an operator cannot look into one. */
export function unavailable(what: string, error: unknown, asked: Asked): StoreUnavailable {
  const { status, code } = answerOf(error);
  const { says, todo } = adviceOn(code, error, asked);
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
    isFinal: refusalOf(error) === "final",
  });
}

const PACKAGE = /@(?:aws-sdk|smithy)[\w/-]*/g;

/** Seconds, or a date, which is read against the server's own Date. */
function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(headers.date ?? "");
  return wait > 0 ? wait : undefined;
}

interface Answer {
  /** Undefined without a response. */
  readonly status: number | undefined;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The SDK attaches the response to its errors; other errors have none. */
function answerOf(error: unknown): Answer {
  const { name, $metadata, $response } = error as {
    name?: string;
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number; headers?: Record<string, string> };
  };
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  // An error has status 200 if its body could not be read as XML. The outcome is unknown then.
  return {
    status: status !== undefined && status >= 300 ? status : undefined,
    code: name === undefined || name === "Error" || name === "Unknown" ? "" : name,
    headers: $response?.headers ?? {},
  };
}

/** The request that failed, for messages. */
export interface Asked {
  /** Scheme, host and port; undefined if the request did not get that far. */
  readonly address: string | undefined;
  /** The time limit of the call, retries included (ms). */
  readonly limitMs: number;
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

/** `code` is the server's, or the error's name. Without `says` the message has the server's own text. */
export function adviceOn(code: string, error: unknown, { address = "the S3 server", limitMs }: Asked): Partial<Advice> {
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
  const todo = REFUSED[code];
  return todo === undefined ? {} : { todo };
}
