/** Responses before the shim's core: to malformed HTTP (docs/spec/api.md#malformed-http). */
import { type IncomingMessage, METHODS } from "node:http";
import {
  badRequest,
  EXPECTATION_FAILED,
  HEADERS_TOO_LARGE,
  METHOD_NOT_ALLOWED,
  REQUEST_TIMEOUT,
} from "../../../http/errors.ts";
import { plainResponse } from "../../full-response.ts";
import type { ShimResponse } from "../../respond.ts";
import { MAX_FIELDS } from "./limits.ts";
import { isHost, wellFormedMethod } from "./request-head.ts";

const BAD_REQUEST = plainResponse(badRequest("bad_request"));
const TOO_LARGE = plainResponse(HEADERS_TOO_LARGE);
const TOO_LATE = plainResponse(REQUEST_TIMEOUT);
export const WRONG_METHOD: ShimResponse = plainResponse(METHOD_NOT_ALLOWED);
export const WRONG_EXPECTATION: ShimResponse = plainResponse(EXPECTATION_FAILED);

/** The last host that was valid: most requests of a server name one. */
let good: string | undefined;

/** Checks a request that Node's parser accepted. `undefined`: it is well formed. */
export function refusalOf({ rawHeaders, headers, httpVersion }: IncomingMessage): ShimResponse | undefined {
  if (rawHeaders.length > 2 * MAX_FIELDS) return TOO_LARGE;
  const { host } = headers;
  if (host === good && host !== undefined) return undefined;
  if (host === undefined) return httpVersion === "1.1" ? BAD_REQUEST : undefined;
  // Two Host lines are one list here, and a list is not a host.
  if (!isHost(host)) return BAD_REQUEST;
  good = host;
  return undefined;
}

export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** True if Node's parser refused bytes; the connection itself is whole. */
export function isParserError({ code = "" }: Pick<ParserError, "code">): boolean {
  return code.startsWith("HPE_");
}

/** The response to bytes that Node's parser refused; `undefined` if there is nobody to send it to. */
export function refusalOfError({ code = "", rawPacket, bytesParsed = 0 }: ParserError): ShimResponse | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return TOO_LARGE;
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return TOO_LATE;
  if (!isParserError({ code })) return undefined;
  // The parser knows its methods by name, the API by form.
  const method = rawPacket === undefined ? undefined : wellFormedMethod(rawPacket, bytesParsed);
  return method === undefined || METHODS.includes(method) ? BAD_REQUEST : WRONG_METHOD;
}
