/** The meaning of an S3 server's refusal, and if another try may help. */

import { printable } from "../../values/printable.ts";
import { StoreDamaged, StoreUnavailable } from "../object-store.ts";
import type { Verdict } from "../retry.ts";
import { type Asked, adviceOn } from "./advice.ts";

/** A response's body is above `MAX_BODY_BYTES`: it is not read any further, and another try gives the same. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

export type Refusal =
  /** 404 NoSuchKey: the only sign of absence. */
  | "absent"
  /** 412: the condition does not hold (or did not any more, after the put's own earlier success). */
  | "condition"
  /** 409: another writer at the same moment. */
  | "contended"
  /** 501, or 400 if a server does not know the header: it cannot do this. */
  | "unsupported"
  /** Overload, a fault of the server or of the way there. */
  | "transient"
  /** Credentials, rights, a missing bucket, a wrong clock: another try gives the same. */
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

/** `what` was being done. It has no word of a library, because an operator cannot look into one. */
export function unavailable(what: string, error: unknown, asked: Asked): StoreUnavailable {
  const { status, code } = answerOf(error);
  const { says, todo } = adviceOn(code, error, asked);
  const message = error instanceof Error && error.message !== "UnknownError" ? error.message : "";
  const told = [status === undefined ? `no response from ${asked.address ?? "the S3 server"}:` : status, code, message];
  const text = (says ?? told.filter((part) => part !== "").join(" ")).replaceAll(PACKAGE, "the S3 library");
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
  // A body that could not be read as XML leaves a 200 on the error: nothing is known then.
  return {
    status: status !== undefined && status >= 300 ? status : undefined,
    code: name === undefined || name === "Error" || name === "Unknown" ? "" : name,
    headers: $response?.headers ?? {},
  };
}
