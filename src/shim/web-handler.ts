/** The shim as runtimes of web standards call it (Node's fetch types, workerd, Deno, Bun). */
import { answer, FRONT_HEADER } from "./answer.ts";
import type { ShimContext } from "./context.ts";

export function webHandler(context: ShimContext): (request: Request) => Promise<Response> {
  return async ({ method, url, headers }) => {
    const ifNoneMatch = headers.get("if-none-match") ?? undefined;
    const front = headers.has(FRONT_HEADER);
    const { status, headers: answered, body } = await answer({ method, url, ifNoneMatch, front }, context);
    return new Response(body ?? null, { status, headers: answered });
  };
}
