/** Sends requests byte by byte over separate connections, as no client library would. */
import { once } from "node:events";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import type { OddRequest } from "../../support/scripts/odd-requests.ts";
import type { ScriptResponse } from "../../support/scripts/run-http-script.ts";

/** Throws if the bytes are not exactly one whole response. */
export async function sendRaw({ port }: { readonly port: number }, request: OddRequest): Promise<ScriptResponse> {
  const { method, body } = request;
  const socket = connect(port, "127.0.0.1");
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    // Not every server honours `connection: close`. Extra bytes would arrive before the connection closes.
    if (parseResponse(bytes, method) !== undefined) socket.end();
  });
  socket.write(`${headOf(request, "close")}${body?.text ?? ""}`, "latin1");
  await once(socket, "end");
  socket.destroy();
  const parsed = parseResponse(bytes, method);
  if (parsed === undefined || parsed.beyond > 0) throw new Error(`not one response: ${bytes.toString("latin1")}`);
  return parsed.answer;
}

/** A request's head as bytes (latin1), including its final empty line. */
function headOf({ method, target, headers, body }: OddRequest, connection: "close" | "keep-alive"): string {
  const lines = [["host", "front.example"], ...headers, ["connection", connection]].map(
    ([name, value]) => `${name}: ${value}`,
  );
  const announced = body === undefined ? [] : [body.header];
  return [`${method} ${target} HTTP/1.1`, ...lines, ...announced, "", ""].join("\r\n");
}

const HEAD_END = "\r\n\r\n";

interface ParsedResponse {
  readonly answer: ScriptResponse;
  /** Bytes after the head. */
  readonly beyond: number;
}

/** Undefined until the response to a request with that method is complete. */
function parseResponse(bytes: Buffer, method: string): ParsedResponse | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const rest = bytes.subarray(end + HEAD_END.length);
  if (status < 200) return parseResponse(rest, method);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const hasBody = method !== "HEAD" && status !== 204 && status !== 304;
  const isChunked = hasBody && headers["transfer-encoding"] === "chunked";
  const whole = isChunked ? chunks(rest) : plain(rest, hasBody ? Number(headers["content-length"] ?? 0) : 0);
  if (whole === undefined) return undefined;
  const isCompressed = headers["content-encoding"] === "gzip" && hasBody;
  const body = isCompressed ? gunzipSync(whole.body) : whole.body;
  return { answer: { status, headers, body: body.toString() }, beyond: rest.length - whole.length };
}

interface Body {
  readonly body: Buffer;
  /** As it was sent. */
  readonly length: number;
}

function plain(bytes: Buffer, length: number): Body | undefined {
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length };
}

function chunks(bytes: Buffer): Body | undefined {
  const found: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const length = Number.parseInt(bytes.toString("latin1", at, line), 16);
    const end = line + 2 + length + 2;
    if (bytes.length < end) return undefined;
    if (length === 0) return { body: Buffer.concat(found), length: end };
    found.push(bytes.subarray(line + 2, end - 2));
    at = end;
  }
}
