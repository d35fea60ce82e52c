/** Responses before the shim's core: to malformed HTTP (docs/spec/api.md#malformed-http). */

import { type IncomingMessage, METHODS } from "node:http";
import {
  badRequest,
  EXPECTATION_FAILED,
  HEADERS_TOO_LARGE,
  METHOD_NOT_ALLOWED,
  REQUEST_TIMEOUT,
} from "../../../http/errors.ts";
import { withoutBlanks } from "../../../values/text.ts";
import { plainResponse } from "../../full-response.ts";
import type { ShimResponse } from "../../respond.ts";
import { MAX_FIELDS, MAX_HEAD_BYTES } from "./limits.ts";

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

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) [\x21-\x7e]+ HTTP\/1\.[01]$/;
const FIELD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
const HOST = /^(?:\[[0-9A-Za-z.:%_~-]+\]|(?:[0-9A-Za-z._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d{0,5})?$/;
/** The first line of a request that has not arrived to its end. */
const BEGINNING = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: [\x21-\x7e]*(?: [HTP/1.0]*)?)?$/;
const HOST_NAME = "host:";

/** True if a Host field is `uri-host [ ":" port ]`, which may be empty. */
function isHost(value: string): boolean {
  return HOST.test(value);
}

/**
 * The method of the request with an offset in its first line, if the request is well formed so far: request line, fields, and
 * exactly one good Host in HTTP/1.1. Only a head's worth of bytes is read.
 */
function wellFormedMethod(packet: Buffer, offset: number): string | undefined {
  const start = packet.subarray(0, offset).lastIndexOf("\n") + 1;
  const text = packet.toString("latin1", start, start + MAX_HEAD_BYTES);
  const end = text.search(/\r?\n\r?\n/);
  const lines = (end === -1 ? text : text.slice(0, end)).split(/\r?\n/);
  const [first = "", ...fields] = lines;
  if (lines.length === 1 && end === -1) return BEGINNING.exec(first)?.[1];
  const method = REQUEST_LINE.exec(first)?.[1];
  // The head goes on: its last line may be half of one.
  if (end === -1) fields.pop();
  if (method === undefined || !fields.every((field) => FIELD.test(field))) return undefined;
  const hosts = fields.filter(isHostField).map((field) => withoutBlanks(field.slice(HOST_NAME.length)));
  const isComplete = end !== -1 && first.endsWith("1.1");
  if (hosts.length > 1 || !hosts.every(isHost) || (isComplete && hosts.length === 0)) return undefined;
  return method;
}

function isHostField(field: string): boolean {
  return field.slice(0, HOST_NAME.length).toLowerCase() === HOST_NAME;
}
