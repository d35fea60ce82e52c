/** The shim on `node:http`: the core is called as it is, no Request and no Response is built. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { INTERNAL_ERROR } from "../../http/errors.ts";
import { FRONT_HEADER } from "../../http/front-headers.ts";
import { answer, type ShimAnswer, type ShimRequest } from "../answer.ts";
import type { ShimContext } from "../context.ts";
import { plainAnswer } from "../full-answer.ts";

export interface NodeHandlerOptions {
  /** Told of what should never happen; the client gets a 500. */
  defect(error: unknown): void;
  /** Whether connections are to end with the answer at hand. */
  closing?(): boolean;
  /** Asked first; `undefined` leaves the request to the shim. */
  before?(request: ShimRequest): Promise<ShimAnswer> | undefined;
}

const DEFECT = plainAnswer(INTERNAL_ERROR);

export function nodeHandler(context: ShimContext, { defect, closing, before }: NodeHandlerOptions): RequestListener {
  return (incoming, response) => {
    const request = requestOf(incoming);
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
function requestOf({ method = "GET", url = "/", headers }: IncomingMessage): ShimRequest {
  return { method, url, ifNoneMatch: headers["if-none-match"], front: headers[FRONT_HEADER]?.toString() };
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
