/**
 * Forms of RFC 9110 and 9112, for requests that Node's parser refuses or does not check. Every expression is linear, and no
 * more of a packet is read than a head may have.
 */
import { withoutBlanks } from "../../../values/text.ts";
import { MAX_HEAD_BYTES } from "./limits.ts";

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) [\x21-\x7e]+ HTTP\/1\.[01]$/;
const FIELD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
const HOST = /^(?:\[[0-9A-Za-z.:%_~-]+\]|(?:[0-9A-Za-z._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d{0,5})?$/;
/** The first line of a request that has not arrived to its end. */
const BEGINNING = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: [\x21-\x7e]*(?: [HTP/1.0]*)?)?$/;
const HOST_NAME = "host:";

/** True if a Host field is `uri-host [ ":" port ]`, which may be empty. */
export function isHost(value: string): boolean {
  return HOST.test(value);
}

/**
 * The method of the request with an offset in its first line, if the request is well formed so far: request line, fields, and
 * exactly one good Host in HTTP/1.1. Only a head's worth of bytes is read.
 */
export function wellFormedMethod(packet: Buffer, offset: number): string | undefined {
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
