import type { ServerResponse } from "node:http";
import type { ShimResponse } from "../respond.ts";

/** Writes a response; HEAD's Content-Length is in its headers already. */
export function send(response: ServerResponse, { status, headers, body }: ShimResponse, close: boolean): void {
  response.writeHead(status, close ? { ...headers, connection: "close" } : headers);
  if (body === undefined || body.length > ONE_WRITE) response.end(body);
  else response.end(latin1(body), "latin1");
}

/** Up to this size a body leaves in one write with its head, which Node does with strings only. */
const ONE_WRITE = 16_384;

const texts = new WeakMap<Uint8Array, string>();

/** A unit for each byte, kept with a body that is sent again, as stored responses are (`stored-responses.ts`). */
function latin1(body: Uint8Array): string {
  let text = texts.get(body);
  if (text === undefined) {
    text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
    texts.set(body, text);
  }
  return text;
}
