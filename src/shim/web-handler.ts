/** The shim as runtimes of web standards call it (Node's fetch types, workerd, Deno, Bun). */
import { FRONT_HEADER } from "../http/front-headers.ts";
import { answer } from "./answer.ts";
import type { ShimContext } from "./context.ts";

export function webHandler(context: ShimContext): (request: Request) => Promise<Response> {
  return async ({ method, url, headers }) => {
    const ifNoneMatch = headers.get("if-none-match") ?? undefined;
    const front = headers.get(FRONT_HEADER) ?? undefined;
    const { status, headers: answered, body } = await answer({ method, url, ifNoneMatch, front }, context);
    return new Response(body ?? null, { status, headers: answered });
  };
}
