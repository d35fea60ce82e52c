/**
 * Sends odd requests through a front concurrently. Each response must equal that of the shim's core, and no client gets
 * another's.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ObjectStore, StoredObject } from "../../../src/object-store/object-store.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { coreResponse, essence, headersOf, written } from "../../support/scripts/core-response.ts";
import { type OddRequest, oddRequest } from "../../support/scripts/odd-requests.ts";
import { PLAIN_TARGETS } from "../../support/scripts/odd-targets.ts";
import type { ScriptResponse } from "../../support/scripts/run-http-script.ts";
import { TRANSPORT_HEADERS } from "../../support/scripts/script-targets.ts";
import type { Front } from "../front.ts";
import { sendRaw } from "./raw-request.ts";

export interface OddRequestOptions {
  front(): Pick<Front, "port">;
  world(): { readonly store: Pick<ObjectStore, "get"> };
  /** Number of requests drawn. */
  readonly requests: number;
  /** Headers that the front adds to every response, in addition to those of HTTP/1.1. */
  readonly transport?: readonly string[];
  /** Requests that the front handles itself, as documented. */
  isSkipped?(request: OddRequest): boolean;
  /** Requests for which the front may ignore If-None-Match, as documented. */
  mayMissTags?(request: OddRequest): boolean;
}

const CONCURRENCY = 8;
const MAX_DIFFERENCES = 5;

export function testOddRequests(options: OddRequestOptions): void {
  const { requests, transport = [], isSkipped = () => false, mayMissTags = () => false } = options;
  test(`${requests} odd requests, twice each, mixed with plain ones`, async () => {
    const context = shimContext({ store: constant(options.world().store), now: Date.now, monotonic: () => 0 });
    const drawn = fc.sample(oddRequest, requests).filter((request) => !isSkipped(request));
    expect(drawn.length).toBeGreaterThan(requests / 2);
    const differences: string[] = [];
    const left = drawn.entries();
    await Promise.all(Array.from({ length: CONCURRENCY }, asksTheRest));
    expect(differences).toEqual([]);

    async function asksTheRest(): Promise<void> {
      for (const [index, request] of left) {
        const target = PLAIN_TARGETS[index % PLAIN_TARGETS.length] ?? "/";
        for (const one of [request, request, { method: "GET", target, headers: [] }]) await check(one);
        if (differences.length >= MAX_DIFFERENCES) return;
      }
    }

    async function check(request: OddRequest): Promise<void> {
      const expectedText = await expected(request);
      const got = await sendRaw(options.front(), request).then(
        (answer) => essence(uncompressed(request, answer), [...TRANSPORT_HEADERS, ...transport]),
        (error: unknown) => String(error),
      );
      // An instant at which the world's responses change may have passed meanwhile.
      if (expectedText.includes(timeless(got)) || (await expected(request)).includes(timeless(got))) return;
      differences.push(`${written(request)}: ${got}, not ${expectedText.join(" nor ")}`);
    }

    /** The publication status contains the current time, and a front keeps it for a second. */
    function timeless(text: string): string {
      return text.replace(/\\"now\\":\\"[^"]*\\"/, "");
    }

    async function expected(request: OddRequest): Promise<string[]> {
      const variants = mayMissTags(request) ? [request, { ...request, headers: [] }] : [request];
      return Promise.all(variants.map(async (one) => timeless(essence(await coreResponse(one, context)))));
    }
  });
}

/** The response without Content-Encoding, because its body is already decoded. */
function uncompressed(request: OddRequest, { status, headers, body }: ScriptResponse): ScriptResponse {
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
