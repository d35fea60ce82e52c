/**
 * The shim for runtimes of web standards (Node's fetch types, workerd, Deno, Bun). Readers call it directly, so headers of
 * fronts (`http/front-headers.ts`) are ignored.
 */

import type { ShimContext } from "./context.ts";
import { respond } from "./respond.ts";

export function webHandler(context: ShimContext): (request: Request) => Promise<Response> {
  return async ({ method, url, headers }) => {
    const ifNoneMatch = headers.get("if-none-match") ?? undefined;
    const { status, headers: sent, body } = await respond({ method, url, ifNoneMatch }, context);
    return new Response(body ?? null, { status, headers: sent });
  };
}
