/** The targets of HTTP scripts: the shim's core, its Web-standard handler, or a server at an address. */
import { request as httpRequest } from "node:http";
import { respond } from "../../../src/shim/respond.ts";
import { webHandler } from "../../../src/shim/web-handler.ts";
import type { ScriptControl, ScriptResponse, ScriptTarget } from "./run-http-script.ts";
import type { ScriptWorld } from "./script-world.ts";

/** Headers of HTTP/1.1 itself. */
export const TRANSPORT_HEADERS = ["date", "connection", "keep-alive"];

export function coreTarget({ context, control, object }: ScriptWorld): ScriptTarget {
  return {
    control,
    object,
    transport: [],
    async send(method, url, headers) {
      const reply = await respond({ method, url, ifNoneMatch: headers["if-none-match"] }, context);
      return { ...reply, body: reply.body === undefined ? "" : new TextDecoder().decode(reply.body) };
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
      // As a runtime creates the Request: host plus target, even if the target looks like an absolute URL.
      const response = await handler(new Request(`http://shim.example${target}`, { method, headers }));
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
  };
}

/** A server at an address: the Node shim, workerd, Varnish or nginx. Targets are sent unchanged. */
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
      new Promise<ScriptResponse>((resolve, reject) => {
        const sent = httpRequest({ ...base, method, path, headers, agent: false }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const reply = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
            resolve({
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(reply) as Record<string, string>,
              body: Buffer.concat(chunks).toString("utf8"),
            });
          });
        });
        sent.on("error", reject);
        sent.end();
      }),
  };
}
