/** The shim on `node:http`: the core is called as it is, no Request and no Response is built. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { INTERNAL_ERROR } from "../../http/errors.ts";
import { FRONT_HEADER, FRONT_SECRET_HEADER } from "../../http/front-headers.ts";
import { answer, type ShimAnswer, type ShimRequest } from "../answer.ts";
import type { ShimContext } from "../context.ts";
import { plainAnswer } from "../full-answer.ts";
import type { HearsFront } from "./hears-front.ts";

export interface NodeHandlerOptions {
  /** Told of what should never happen; the client gets a 500. */
  defect(error: unknown): void;
  /** Whether connections are to end with the answer at hand. */
  closing?(): boolean;
  /** Asked first; `undefined` leaves the request to the shim. */
  before?(request: ShimRequest): Promise<ShimAnswer> | undefined;
  /** Whether a front is heard that gives this secret; absent: none is. */
  readonly hears?: HearsFront;
}

const DEFECT = plainAnswer(INTERNAL_ERROR);

export function nodeHandler(context: ShimContext, options: NodeHandlerOptions): RequestListener {
  const { defect, closing, before, hears } = options;
  return (incoming, response) => {
    const request = requestOf(incoming, hears);
    (before?.(request) ?? answer(request, context)).then(
      (answered) => send(response, answered, closing?.() === true),
      (error: unknown) => {
        defect(error);
        send(response, DEFECT, true);
      },
    );
  };
}

/** Node itself answers 400 to a target with bytes beyond ASCII. */
function requestOf({ method = "GET", url = "/", headers }: IncomingMessage, hears?: HearsFront): ShimRequest {
  const request = { method, url, ifNoneMatch: headers["if-none-match"] };
  const said = headers[FRONT_HEADER]?.toString();
  if (said === undefined) return request;
  const isHeard = hears?.(headers[FRONT_SECRET_HEADER]?.toString()) === true;
  return isHeard ? { ...request, front: said } : { ...request, unheardFront: said };
}

/** Writes an answer; HEAD's Content-Length stands in its headers already. */
function send(response: ServerResponse, { status, headers, body }: ShimAnswer, close: boolean): void {
  response.writeHead(status, close ? { ...headers, connection: "close" } : headers);
  if (body === undefined || body.length > ONE_WRITE) response.end(body);
  else response.end(latin1(body), "latin1");
}

/** Up to here a body goes out in one write with its head, which Node does with strings only. */
const ONE_WRITE = 16_384;

const texts = new WeakMap<Uint8Array, string>();

/** A unit for each byte, kept with a body that is sent again: stored answers are (`stored-answers.ts`). */
function latin1(body: Uint8Array): string {
  let text = texts.get(body);
  if (text === undefined) {
    text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
    texts.set(body, text);
  }
  return text;
}
