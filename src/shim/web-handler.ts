/** The shim for runtimes of web standards (Node's fetch types, workerd, Deno, Bun), which compress by themselves. */

import { INTERNAL_ERROR } from "../http/errors.ts";
import type { ShimContext } from "./context.ts";
import { plainResponse } from "./full-response.ts";
import { respond } from "./respond.ts";

const DEFECT = plainResponse(INTERNAL_ERROR);

/** `defect` is called with errors that should never happen. The client gets a 500 with the headers of the API. */
export function webHandler(
  context: ShimContext,
  defect: (error: unknown) => void = (error) => console.error(error),
): (request: Request) => Promise<Response> {
  return async ({ method, url, headers }) => {
    try {
      const ifNoneMatch = headers.get("if-none-match") ?? undefined;
      const { status, headers: sent, body } = await respond({ method, url, ifNoneMatch }, context);
      return new Response(body ?? null, { status, headers: sent });
    } catch (error) {
      defect(error);
      context.onResponse?.(undefined, DEFECT.status);
      return new Response(method === "HEAD" ? null : Uint8Array.from(DEFECT.body), DEFECT);
    }
  };
}
