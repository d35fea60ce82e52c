/** The shim on `node:http`: the core is called as it is, no Request and no Response is built. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { INTERNAL_ERROR } from "../http/errors.ts";
import { answer, type ShimAnswer } from "./answer.ts";
import type { ShimContext } from "./context.ts";
import { plainAnswer } from "./full-answer.ts";

const DEFECT = plainAnswer(INTERNAL_ERROR);

/** `defect` is told of what should never happen; the client gets a 500. */
export function nodeHandler(context: ShimContext, defect: (error: unknown) => void): RequestListener {
  return (request, response) => {
    answer(
      { method: request.method ?? "GET", url: asciiTarget(request), ifNoneMatch: request.headers["if-none-match"] },
      context,
    ).then(
      (answered) => send(response, answered),
      (error: unknown) => {
        defect(error);
        send(response, DEFECT);
      },
    );
  };
}

/** Writes an answer; HEAD's Content-Length stands in its headers already. */
export function send(response: ServerResponse, { status, headers, body }: ShimAnswer): void {
  response.writeHead(status, headers);
  response.end(body);
}

const BEYOND_ASCII = /[\u0080-\u00ff]/g;

/** Node gives a target's bytes as latin1; percent-encoded they mean the same everywhere. */
function asciiTarget({ url = "/" }: IncomingMessage): string {
  return url.replace(BEYOND_ASCII, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`);
}
