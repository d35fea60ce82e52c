/** Forms of RFC 9110 and 9112, for what Node's parser does not judge or judges by name. */

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) [\\x21-\\x7e]+ HTTP/1\\.[01]$`);
const FIELD = new RegExp(`^${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*$`);
const HOST_FIELD = /^host:[ \t]*(.*?)[ \t]*$/i;
const HOST = /^(?:\[[0-9A-Za-z.:%_~-]+\]|(?:[0-9A-Za-z._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d{0,5})?$/;
/** Of a request whose end has not come with its beginning. */
const BEGINNING = new RegExp(`^(${TOKEN})(?: [\\x21-\\x7e]*(?: [HTP/1.0]*)?)?$`);

/** Whether a Host field is `uri-host [ ":" port ]`, which may be empty. */
export function isHost(value: string): boolean {
  return HOST.test(value);
}

/**
 * The method of the request in whose first line an offset lies, if the request is well formed as far as it has come:
 * request line, fields, and exactly one good Host in HTTP/1.1.
 */
export function wellFormedMethod(packet: Buffer, offset: number): string | undefined {
  const start = packet.subarray(0, offset).lastIndexOf("\n") + 1;
  const text = packet.toString("latin1", start);
  const end = text.search(/\r?\n\r?\n/);
  const lines = (end === -1 ? text : text.slice(0, end)).split(/\r?\n/);
  const [first = "", ...fields] = lines;
  if (lines.length === 1 && end === -1) return BEGINNING.exec(first)?.[1];
  const method = REQUEST_LINE.exec(first)?.[1];
  // Cut off: its last line says nothing yet.
  if (end === -1) fields.pop();
  if (method === undefined || !fields.every((field) => FIELD.test(field))) return undefined;
  const hosts = fields.flatMap((field) => HOST_FIELD.exec(field)?.[1] ?? []);
  const isComplete = end !== -1 && first.endsWith("1.1");
  if (hosts.length > 1 || !hosts.every(isHost) || (isComplete && hosts.length === 0)) return undefined;
  return method;
}
