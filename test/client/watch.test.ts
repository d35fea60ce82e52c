import { expect, test } from "vitest";
import type { Fetch } from "../../src/client/exchange.ts";
import { clientUnderTest, failure } from "./support/client-under-test.ts";

/** Returns these responses in order, then the last one forever. */
function answers(all: readonly { body: object; etag?: string; status?: number }[]) {
  let number = 0;
  const send: Fetch = async (_, init) => {
    const { body, etag, status } = all[Math.min(number++, all.length - 1)] ?? { body: {} };
    const condition = new Headers(init.headers).get("if-none-match");
    const headers: Record<string, string> = etag === undefined ? {} : { etag };
    if (etag !== undefined && condition === etag) return new Response(null, { status: 304, headers });
    return Response.json(body, { status: status ?? 200, headers });
  };
  return { send, requests: () => number };
}

const process = (revision: string) => ({ body: { schemaVersion: 4, revision }, etag: `"${revision}"` });

test("a watch yields the first response, then each different one", async () => {
  const { send, requests } = answers([
    process("1"),
    process("1"),
    process("2"),
    process("2"),
    process("2"),
    process("1"),
  ]);
  const { api, runtime } = clientUnderTest({ fetch: send });
  const controller = new AbortController();
  const seen: string[] = [];
  const watching = async () => {
    for await (const { body } of api.watch("process", undefined, { every: 1_000, signal: controller.signal })) {
      seen.push(body.revision);
      if (seen.length === 3) controller.abort();
    }
  };
  expect(await failure(watching())).toMatchObject({ code: "aborted" });
  expect(seen).toEqual(["1", "2", "1"]);
  expect(requests()).toBe(6);
  expect(runtime.waits).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
});

test("telemetry that turns stale under the same tag is different, because of its body", async () => {
  const telemetry = (status: string) => ({ body: { schemaVersion: 1, status }, etag: '"t"' });
  const noCondition = answers([telemetry("online"), telemetry("online"), telemetry("stale")]);
  const { api } = clientUnderTest({ fetch: noCondition.send });
  const watching = api.watch("telemetry");
  expect((await watching.next()).value).toMatchObject({ body: { status: "online" } });
  expect((await watching.next()).value).toMatchObject({ body: { status: "stale" } });
  expect(noCondition.requests()).toBe(3);
  await watching.return();
});

test.each([0, -1, Number.NaN, 5, 100])("an interval of %d ms is at least 100 ms", async (every) => {
  const { send } = answers([process("1"), process("2")]);
  const { api, runtime } = clientUnderTest({ fetch: send });
  const watching = api.watch("process", undefined, { every });
  await watching.next();
  await watching.next();
  expect(runtime.waits).toEqual([100]);
  await watching.return();
});

test("aborting during its wait ends a watch", async () => {
  const { send, requests } = answers([process("1")]);
  const { api, runtime } = clientUnderTest({ fetch: send });
  const controller = new AbortController();
  const watching = api.watch("process", undefined, { signal: controller.signal });
  await watching.next();
  runtime.onWait = () => controller.abort();
  expect(await failure(watching.next())).toMatchObject({ code: "aborted" });
  expect(requests()).toBe(1);
  expect(runtime.pending.size).toBe(0);
});
