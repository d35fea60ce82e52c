/** The shim on `node:http`: the core is called directly, without a Request and a Response. */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { INTERNAL_ERROR } from "../../http/errors.ts";
import { FRONT_HEADER, FRONT_SECRET_HEADER } from "../../http/front-headers.ts";
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
  /** True if a front with this secret is trusted; absent: none is. */
  readonly trusts?: TrustsFront;
}

const DEFECT = plainResponse(INTERNAL_ERROR);

export function nodeHandler(context: ShimContext, options: NodeHandlerOptions): RequestListener {
  const { defect, closing, before, trusts } = options;
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
      const request = requestOf(incoming, trusts);
      const found = before?.(request) ?? respond(request, encoding);
      if (found instanceof Promise) found.then(sendBack).catch(failed);
      else sendBack(found);
    } catch (error) {
      failed(error);
    }
  };
}

/** Node itself refuses a target with bytes beyond ASCII. */
function requestOf({ method = "GET", url = "/", headers }: IncomingMessage, trusts?: TrustsFront): ShimRequest {
  const request = { method, url, ifNoneMatch: headers["if-none-match"], acceptEncoding: headers["accept-encoding"] };
  const value = headers[FRONT_HEADER]?.toString();
  if (value === undefined) return request;
  const isTrusted = trusts?.(headers[FRONT_SECRET_HEADER]?.toString()) === true;
  return isTrusted ? { ...request, front: value } : { ...request, untrustedFront: value };
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

/** Checks the secret that a front sends, if any. */
export type TrustsFront = (given: string | undefined) => boolean;

/** `fronts`: `none`, `any`, or the secret. The time of the comparison does not reveal it. */
export function trustsFront(fronts: string): TrustsFront {
  if (fronts === "none") return () => false;
  if (fronts === "any") return () => true;
  const wanted = digest(fronts);
  return (given) => given !== undefined && timingSafeEqual(digest(given), wanted);
}

/** Both have one length, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
