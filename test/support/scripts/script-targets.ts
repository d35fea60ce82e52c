/** Ways to put a script's requests to the shim: its core, its web-standard handler, a server on some address. */
import { request as httpRequest } from "node:http";
import { respond } from "../../../src/shim/respond.ts";
import { webHandler } from "../../../src/shim/web-handler.ts";
import type { ScriptAnswer, ScriptControl, ScriptTarget } from "./run-http-script.ts";
import type { ScriptWorld } from "./script-world.ts";

/** Headers of HTTP/1.1 itself. */
export const TRANSPORT_HEADERS = ["date", "connection", "keep-alive"];

export function coreTarget({ context, control, object }: ScriptWorld): ScriptTarget {
  return {
    control,
    object,
    transport: [],
    async send(method, url, headers) {
      const answered = await respond({ method, url, ifNoneMatch: headers["if-none-match"] }, context);
      return { ...answered, body: answered.body === undefined ? "" : new TextDecoder().decode(answered.body) };
    },
  };
}

export function webTarget({ context, control, object }: ScriptWorld): ScriptTarget {
  const handler = webHandler(context);
  return {
    control,
    object,
    transport: [],
    async send(method, target, headers) {
      // As a runtime makes its Request: the target behind the host that was asked, never in its place.
      const response = await handler(new Request(`http://shim.example${target}`, { method, headers }));
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
  };
}

/** A server at an address: the Node shim, workerd, Varnish, nginx. Targets are sent as they are written. */
export function addressTarget(
  base: { readonly hostname: string; readonly port: number },
  world: Pick<ScriptWorld, "object"> & { readonly control?: ScriptControl },
  transport: readonly string[] = TRANSPORT_HEADERS,
): ScriptTarget {
  return {
    ...(world.control === undefined ? {} : { control: world.control }),
    object: world.object,
    transport,
    send: (method, path, headers) =>
      new Promise<ScriptAnswer>((resolve, reject) => {
        const sent = httpRequest({ ...base, method, path, headers, agent: false }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const answered = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
            resolve({
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(answered) as Record<string, string>,
              body: Buffer.concat(chunks).toString("utf8"),
            });
          });
        });
        sent.on("error", reject);
        sent.end();
      }),
  };
}
