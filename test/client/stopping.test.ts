/** Timeouts and aborts take effect at every point and at once, and leave nothing behind. */
import { expect, test } from "vitest";
import type { Fetch } from "../../src/client/exchange.ts";
import { clientUnderTest, failure } from "./support/client-under-test.ts";
import { json, misbehavingServer } from "./support/misbehaving-server.ts";

const TELEMETRY = { schemaVersion: 1, status: "offline" };
const ABORTED = { code: "aborted", status: null, retryAfter: null };

/** A server that hangs on every request, before its headers or in its body, and reports when a request has arrived. */
async function hangingServer(where: "headers" | "body") {
  let came = () => {};
  const server = await misbehavingServer((_, response) => {
    if (where === "body") {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"schemaVersion":1,');
    }
    came();
  });
  const next = () =>
    new Promise<void>((resolve) => {
      came = resolve;
    });
  return { ...server, next };
}

test.each(["headers", "body"] as const)(
  "a server that hangs in its %s is a timeout, and is requested again",
  async (where) => {
    const server = await hangingServer(where);
    const { api, runtime } = clientUnderTest({ ...server, retries: 2, random: 0.5 });
    let request = server.next();
    const outcome = failure(api.telemetry());
    for (let attempts = 1; attempts <= 3; attempts++) {
      await request;
      request = server.next();
      expect(runtime.pending.size).toBe(1);
      for (const timeout of runtime.pending) timeout();
    }
    expect(await outcome).toEqual({ code: "timeout", status: null, retryAfter: null });
    expect(runtime.waits).toEqual([250, 500]);
    expect(server.requests.length).toBe(3);
    expect(runtime.pending.size).toBe(0);
  },
);

test.each(["headers", "body"] as const)("a call is aborted while a server hangs in its %s", async (where) => {
  const server = await hangingServer(where);
  const { api, runtime } = clientUnderTest(server);
  const controller = new AbortController();
  const request = server.next();
  const outcome = api.telemetry({ signal: controller.signal });
  await request;
  controller.abort(new Error("page left"));
  await expect(outcome).rejects.toMatchObject({ code: "aborted", cause: { message: "page left" } });
  expect(runtime.waits).toEqual([]);
  expect(runtime.pending.size).toBe(0);
});

test("a call ends on time even if fetch ignores its signal", async () => {
  const deaf: Fetch = () => new Promise(() => {});
  const { api, runtime } = clientUnderTest({ fetch: deaf, retries: 0 });
  const controller = new AbortController();
  const aborted = failure(api.telemetry({ signal: controller.signal }));
  controller.abort();
  expect(await aborted).toEqual(ABORTED);
  const late = failure(api.telemetry());
  for (const timeout of runtime.pending) timeout();
  expect(await late).toMatchObject({ code: "timeout" });
});

test("a signal shared by many calls keeps none of their listeners", async () => {
  const server = await misbehavingServer((_, response) => json(response, TELEMETRY));
  const { api } = clientUnderTest(server);
  const { signal } = new AbortController();
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners++;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners--;
    remove(...given);
  };
  for (let calls = 0; calls < 5; calls++) await api.telemetry({ signal });
  expect(listeners).toBe(0);
});
