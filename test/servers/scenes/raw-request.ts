/** Requests byte by byte over a connection of their own, as no client library would send them. */
import { once } from "node:events";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import type { OddRequest } from "../../support/scripts/odd-requests.ts";
import type { ScriptAnswer } from "../../support/scripts/run-http-script.ts";

/** Throws where what came back is not one whole answer and nothing more. */
export async function sendRaw(
  { port }: { readonly port: number },
  { method, target, headers, body }: OddRequest,
): Promise<ScriptAnswer> {
  const lines = [["host", "front.example"], ...headers, ["connection", "close"]].map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`${method} ${target} HTTP/1.1`, ...lines, ...(body === undefined ? [] : [body.header])].join("\r\n");
  const socket = connect(port, "127.0.0.1");
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    // Not every server heeds `connection: close`; what it has to say beyond the answer comes before its end.
    if (parse(bytes, method) !== undefined) socket.end();
  });
  socket.write(`${head}\r\n\r\n${body?.text ?? ""}`, "latin1");
  await once(socket, "end");
  socket.destroy();
  const parsed = parse(bytes, method);
  if (parsed === undefined || parsed.beyond > 0) throw new Error(`not one answer: ${bytes.toString("latin1")}`);
  return parsed.answer;
}

const HEAD_END = "\r\n\r\n";

/** `undefined` until an answer is whole; `beyond`: bytes after it. */
function parse(bytes: Buffer, method: string): { readonly answer: ScriptAnswer; readonly beyond: number } | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const rest = bytes.subarray(end + HEAD_END.length);
  if (status < 200) return parse(rest, method);
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
