/** Ways to put a script's requests to the shim: its core, its web-standard handler, a server on some address. */
import { request as httpRequest } from "node:http";
import { answer } from "../../src/shim/answer.ts";
import { type ShimContext, shimContext } from "../../src/shim/context.ts";
import { webHandler } from "../../src/shim/web-handler.ts";
import { MemoryStore } from "./memory-store.ts";
import type { ScriptAnswer, ScriptControl, ScriptTarget } from "./run-http-script.ts";
import { putWorld } from "./world.ts";

/** What HTTP/1.1 itself adds. */
export const TRANSPORT_HEADERS = ["date", "connection", "keep-alive"];

const WORLD_AT = Date.parse("2026-11-20T10:00:00.000Z");

export interface ScriptWorld {
  readonly context: ShimContext;
  readonly control: ScriptControl;
  object: ScriptTarget["object"];
}

/** The world in memory, with a hand on its clock and its store. */
export async function scriptWorld(): Promise<ScriptWorld> {
  const store = new MemoryStore();
  await putWorld(store, WORLD_AT);
  let now = WORLD_AT;
  // Each block sees the store as it is: what a context keeps for a second has always just expired.
  let monotonic = 0;
  const context = shimContext({ store, now: () => now, monotonic: () => (monotonic += 1000) });
  return {
    context,
    object: async (key) => store.get(key),
    control: {
      setClock: (msAfterWorld) => {
        now = WORLD_AT + msAfterWorld;
      },
      takeAway: (key) => store.delete(key),
      failStore: () => store.fail(),
      putBack: async () => {
        now = WORLD_AT;
        store.failure = undefined;
        await putWorld(store, WORLD_AT);
      },
    },
  };
}

export function coreTarget({ context, control, object }: ScriptWorld): ScriptTarget {
  return {
    control,
    object,
    transport: [],
    async send(method, url, headers) {
      const answered = await answer({ method, url, ifNoneMatch: headers["if-none-match"] }, context);
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
