/** The shim on `node:http`: the core is called directly, without a Request and a Response. */
import type { IncomingMessage, RequestListener } from "node:http";
import { INTERNAL_ERROR } from "../../http/errors.ts";
import { FRONT_HEADER, FRONT_SECRET_HEADER } from "../../http/front-headers.ts";
import { answer, type ShimAnswer, type ShimRequest } from "../answer.ts";
import type { ShimContext } from "../context.ts";
import { plainAnswer } from "../full-answer.ts";
import type { Soon } from "../soon.ts";
import { MAX_BODY_BYTES } from "./connections/limits.ts";
import { refusalOf } from "./connections/refusals.ts";
import { EncodedAnswers } from "./encoded-answers.ts";
import type { HearsFront } from "./hears-front.ts";
import { send } from "./send.ts";

export interface NodeHandlerOptions {
  /** Called with errors that should never happen; the client gets a 500. */
  defect(error: unknown): void;
  /** True if connections must end with the current response. */
  closing?(): boolean;
  /** Called first; `undefined` leaves the request to the shim. */
  before?(request: ShimRequest): Promise<ShimAnswer> | undefined;
  /** True if a front with this secret is trusted; absent: none is. */
  readonly hears?: HearsFront;
}

const DEFECT = plainAnswer(INTERNAL_ERROR);

export function nodeHandler(context: ShimContext, options: NodeHandlerOptions): RequestListener {
  const { defect, closing, before, hears } = options;
  const encoded = new EncodedAnswers();
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
    const given = (answered: ShimAnswer) => send(response, answered, closing?.() === true);
    let answered: Soon<ShimAnswer>;
    try {
      const request = requestOf(incoming, hears);
      answered = before?.(request) ?? answer(request, encoding);
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
function requestOf({ method = "GET", url = "/", headers }: IncomingMessage, hears?: HearsFront): ShimRequest {
  const request = { method, url, ifNoneMatch: headers["if-none-match"], acceptEncoding: headers["accept-encoding"] };
  const said = headers[FRONT_HEADER]?.toString();
  if (said === undefined) return request;
  const isHeard = hears?.(headers[FRONT_SECRET_HEADER]?.toString()) === true;
  return isHeard ? { ...request, front: said } : { ...request, unheardFront: said };
}
