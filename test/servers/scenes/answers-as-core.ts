/** A front under odd requests, several at a time: each response is that of the shim's core, and nobody gets another's. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ObjectStore, StoredObject } from "../../../src/object-store/object-store.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { answeredByCore, essence, headersOf, written } from "../../support/scripts/answered-by-core.ts";
import { type OddRequest, oddRequest } from "../../support/scripts/odd-requests.ts";
import { PLAIN_TARGETS } from "../../support/scripts/odd-targets.ts";
import type { ScriptAnswer } from "../../support/scripts/run-http-script.ts";
import { TRANSPORT_HEADERS } from "../../support/scripts/script-targets.ts";
import type { Front } from "../front.ts";
import { sendRaw } from "./raw-request.ts";

export interface UnderOddRequests {
  front(): Pick<Front, "port">;
  world(): { readonly store: Pick<ObjectStore, "get"> };
  /** How many are drawn. */
  readonly requests: number;
  /** Headers that the front adds to every response, besides those of HTTP/1.1. */
  readonly transport?: readonly string[];
  /** Requests that the front handles itself, by its page. */
  leavesOut?(request: OddRequest): boolean;
  /** Requests for which the front may ignore If-None-Match, by its page. */
  mayMissTags?(request: OddRequest): boolean;
}

const AT_A_TIME = 8;
const MOST_DIFFERENCES = 5;

export function answersAsCore(options: UnderOddRequests): void {
  const { requests, transport = [], leavesOut = () => false, mayMissTags = () => false } = options;
  test(`${requests} odd requests, twice each, with plain ones between them`, async () => {
    const context = shimContext({ store: constant(options.world().store), now: Date.now, monotonic: () => 0 });
    const drawn = fc.sample(oddRequest, requests).filter((request) => !leavesOut(request));
    expect(drawn.length).toBeGreaterThan(requests / 2);
    const differences: string[] = [];
    const left = drawn.entries();
    await Promise.all(Array.from({ length: AT_A_TIME }, asksTheRest));
    expect(differences).toEqual([]);

    async function asksTheRest(): Promise<void> {
      for (const [index, request] of left) {
        const target = PLAIN_TARGETS[index % PLAIN_TARGETS.length] ?? "/";
        for (const one of [request, request, { method: "GET", target, headers: [] }]) await check(one);
        if (differences.length >= MOST_DIFFERENCES) return;
      }
    }

    async function check(request: OddRequest): Promise<void> {
      const wanted = await expected(request);
      const got = await sendRaw(options.front(), request).then(
        (answer) => essence(uncompressed(request, answer), [...TRANSPORT_HEADERS, ...transport]),
        (error: unknown) => String(error),
      );
      // An instant may have come in between, at which the world's responses change.
      if (wanted.includes(timeless(got)) || (await expected(request)).includes(timeless(got))) return;
      differences.push(`${written(request)}: ${got}, not ${wanted.join(" nor ")}`);
    }

    /** The status says what time it is, and a front keeps it for a second. */
    function timeless(text: string): string {
      return text.replace(/\\"now\\":\\"[^"]*\\"/, "");
    }

    async function expected(request: OddRequest): Promise<string[]> {
      const asked = mayMissTags(request) ? [request, { ...request, headers: [] }] : [request];
      return Promise.all(asked.map(async (one) => timeless(essence(await answeredByCore(one, context)))));
    }
  });
}

/** The response without its Content-Encoding: its body is decoded already. */
function uncompressed(request: OddRequest, { status, headers, body }: ScriptAnswer): ScriptAnswer {
  const { vary, "content-encoding": encoding, "transfer-encoding": _, ...rest } = headers;
  const own: Record<string, string> = {
    ...rest,
    ...(vary === undefined || vary === "Accept-Encoding" ? {} : { vary }),
  };
  if (!/gzip/.test(headersOf(request)["accept-encoding"] ?? "")) {
    return { status, headers: { ...own, ...(encoding === undefined ? {} : { "content-encoding": encoding }) }, body };
  }
  if (own["etag"] !== undefined) own["etag"] = own["etag"].replace(/^W\//, "");
  if (encoding !== undefined) own["content-length"] = String(Buffer.byteLength(body));
  return { status, headers: own, body };
}

/** The content of a store, read once. */
function constant(store: Pick<ObjectStore, "get">): Pick<ObjectStore, "get"> {
  const objects = new Map<string, Promise<StoredObject | undefined>>();
  return {
    get(key) {
      const object = objects.get(key) ?? store.get(key);
      objects.set(key, object);
      return object;
    },
  };
}
