/** The shim on `node:http`: the core is called directly, without a Request and a Response. */

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { INTERNAL_ERROR } from "../../http/errors.ts";
import type { ShimContext } from "../context.ts";
import { plainResponse } from "../full-response.ts";
import { respond, type ShimRequest, type ShimResponse } from "../respond.ts";
import { EncodedResponses } from "./encoded-responses.ts";

export interface NodeHandlerOptions {
  /** Called with errors that should never happen; the client gets a 500. */
  defect(error: unknown): void;
  /** True if connections must end with the current response. */
  closing?(): boolean;
  /** Called first; `undefined` leaves the request to the shim. */
  before?(request: ShimRequest): Promise<ShimResponse> | undefined;
}

const DEFECT = plainResponse(INTERNAL_ERROR);

export function nodeHandler(context: ShimContext, options: NodeHandlerOptions): RequestListener {
  const { defect, closing, before } = options;
  const encoded = new EncodedResponses();
  const encoding: ShimContext = { ...context, encode: (full, accepted) => encoded.encode(full, accepted) };
  return (incoming, response) => {
    const failed = (error: unknown) => {
      defect(error);
      context.onResponse?.(undefined, DEFECT.status);
      send(response, DEFECT, true);
    };
    const sendBack = (found: ShimResponse) => send(response, found, closing?.() === true);
    try {
      const request = requestOf(incoming);
      const found = before?.(request) ?? respond(request, encoding);
      if (found instanceof Promise) found.then(sendBack).catch(failed);
      else sendBack(found);
    } catch (error) {
      failed(error);
    }
  };
}

/** Node itself refuses a target with bytes beyond ASCII. */
function requestOf({ method = "GET", url = "/", headers }: IncomingMessage): ShimRequest {
  return { method, url, ifNoneMatch: headers["if-none-match"], acceptEncoding: headers["accept-encoding"] };
}

/** Writes a response; HEAD's Content-Length is in its headers already. */
function send(response: ServerResponse, { status, headers, body }: ShimResponse, close: boolean): void {
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
