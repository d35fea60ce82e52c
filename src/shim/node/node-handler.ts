/** The shim on `node:http`: the core is called directly, without a Request and a Response. */
import type { IncomingMessage, RequestListener } from "node:http";
import { INTERNAL_ERROR } from "../../http/errors.ts";
import { FRONT_HEADER, FRONT_SECRET_HEADER } from "../../http/front-headers.ts";
import type { ShimContext } from "../context.ts";
import { plainResponse } from "../full-response.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { respond, type ShimRequest, type ShimResponse } from "../respond.ts";
import { MAX_BODY_BYTES } from "./connections/limits.ts";
import { refusalOf } from "./connections/refusals.ts";
import { EncodedResponses } from "./encoded-responses.ts";
import { send } from "./send.ts";
import type { TrustsFront } from "./trusts-front.ts";

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
    if (hasBody(incoming)) readPast(incoming);
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) {
      context.answered?.(undefined, refusal.status);
      send(response, refusal, true);
      return;
    }
    const failed = (error: unknown) => {
      defect(error);
      context.answered?.(undefined, DEFECT.status);
      send(response, DEFECT, true);
    };
    const given = (answered: ShimResponse) => send(response, answered, closing?.() === true);
    let answered: MaybePromise<ShimResponse>;
    try {
      const request = requestOf(incoming, trusts);
      answered = before?.(request) ?? respond(request, encoding);
    } catch (error) {
      failed(error);
      return;
    }
    if (answered instanceof Promise) answered.then(given, failed);
    else given(answered);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
}

/** No request needs a body: it is read and ignored, up to a limit. */
function readPast(incoming: IncomingMessage): void {
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) incoming.socket.destroy();
  });
}

/** Node itself refuses a target with bytes beyond ASCII. */
function requestOf({ method = "GET", url = "/", headers }: IncomingMessage, trusts?: TrustsFront): ShimRequest {
  const request = { method, url, ifNoneMatch: headers["if-none-match"], acceptEncoding: headers["accept-encoding"] };
  const said = headers[FRONT_HEADER]?.toString();
  if (said === undefined) return request;
  const isTrusted = trusts?.(headers[FRONT_SECRET_HEADER]?.toString()) === true;
  return isTrusted ? { ...request, front: said } : { ...request, untrustedFront: said };
}
