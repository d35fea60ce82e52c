/**
 * The shim as runtimes of web standards call it (Node's fetch types, workerd, Deno, Bun). Readers ask it themselves: what
 * fronts say to a shim (`http/front-headers.ts`) is not heard.
 */
import { answer } from "./answer.ts";
import type { ShimContext } from "./context.ts";

export function webHandler(context: ShimContext): (request: Request) => Promise<Response> {
  return async ({ method, url, headers }) => {
    const ifNoneMatch = headers.get("if-none-match") ?? undefined;
    const { status, headers: answered, body } = await answer({ method, url, ifNoneMatch }, context);
    return new Response(body ?? null, { status, headers: answered });
  };
}
