/** Which failed requests the client repeats, and when. */
import { expect, test } from "vitest";
import { clientUnderTest, failure } from "./support/client-under-test.ts";
import { json, misbehavingServer, text } from "./support/misbehaving-server.ts";
import { NOW } from "./support/stepped-runtime.ts";

const TELEMETRY = { schemaVersion: 1, status: "offline" };
const inSeconds = (seconds: number) => new Date(NOW + seconds * 1000).toUTCString();

test.each([
  ["2", 2_000, 2],
  ["0", 250, 0],
  ["30", 30_000, 30],
  ["31", 30_000, 31],
  ["999999999999999999999", 30_000, 1e21],
  [inSeconds(7), 7_000, 7],
  [inSeconds(-60), 250, 0],
  [inSeconds(86_400), 30_000, 86_400],
  ["Friday, 20-Nov-26 10:00:09 GMT", 9_000, 9],
])("a 503 with Retry-After %s is requested again after %i ms", async (header, wait, retryAfter) => {
  const server = await misbehavingServer((_, response, number) =>
    number === 1
      ? json(response, { error: "store_unavailable" }, { "retry-after": header }, 503)
      : json(response, TELEMETRY),
  );
  const { api, runtime } = clientUnderTest(server);
  expect((await api.telemetry()).body).toEqual(TELEMETRY);
  expect(runtime.waits).toEqual([wait]);
  const once = clientUnderTest({
    retries: 0,
    fetch: async () => new Response("{}", { status: 503, headers: { "retry-after": header } }),
  });
  expect(await failure(once.api.telemetry())).toEqual({ code: "invalid_response", status: 503, retryAfter });
  expect(once.runtime.waits).toEqual([]);
});

test.each([undefined, "-5", "1.5", "soon", "", "2, 2", "0x10", "9".repeat(400), "Fri, 99 Foo 2026 10:00:00 GMT"])(
  "a 503 with Retry-After %j is retried like a network error",
  async (header) => {
    const server = await misbehavingServer((_, response) =>
      json(response, { error: "not_published" }, header === undefined ? {} : { "retry-after": header }, 503),
    );
    const { api, runtime } = clientUnderTest({ ...server, random: 0.5 });
    expect(await failure(api.telemetry())).toEqual({ code: "not_published", status: 503, retryAfter: null });
    expect(runtime.waits).toEqual([250, 500]);
  },
);

test("a network error is retried with full jitter, once per retry", async () => {
  const server = await misbehavingServer((request) => request.socket.destroy());
  const eager = clientUnderTest({ ...server, retries: 7, random: 0 });
  expect(await failure(eager.api.telemetry())).toEqual({ code: "network", status: null, retryAfter: null });
  expect(eager.runtime.waits).toEqual([0, 0, 0, 0, 0, 0, 0]);
  const patient = clientUnderTest({ ...server, retries: 7, random: 0.999 });
  await failure(patient.api.telemetry());
  expect(patient.runtime.waits.map(Math.round)).toEqual([500, 999, 1998, 3996, 7992, 7992, 7992]);
  expect(server.requests.length).toBe(16);
});

test("a truncated body is a network error, and is retried", async () => {
  const server = await misbehavingServer((_, response, number) => {
    if (number > 2) return json(response, TELEMETRY);
    // Truncated before its Content-Length, and in the middle of a chunk.
    response.writeHead(200, number === 1 ? { "content-length": "1000" } : {});
    response.write('{"schemaVersion":1,', () => response.destroy());
  });
  const { api } = clientUnderTest(server);
  expect((await api.telemetry()).body).toEqual(TELEMETRY);
  expect(server.requests.length).toBe(3);
});

const PAGE = "<!doctype html><title>Sign in</title>";
test.each([
  ["HTML for JSON", 200, PAGE, "invalid_response"],
  ["truncated JSON", 200, '{"schemaVersion":1', "invalid_response"],
  ["nothing", 200, "", "invalid_response"],
  ["null", 200, "null", "invalid_response"],
  ["a list", 200, "[]", "invalid_response"],
  ["another version", 200, '{"schemaVersion":2}', "invalid_response"],
  ["an error as 200", 200, '{"error":"x"}', "invalid_response"],
  ["no content", 204, null, "invalid_response"],
  ["an unrequested 304", 304, null, "invalid_response"],
  ["an HTML error", 502, PAGE, "invalid_response"],
  ["a JSON error that is not the API's", 500, '{"error":"internal_error"}', "invalid_response"],
  ["504", 504, "", "invalid_response"],
  ["400 in HTML", 400, PAGE, "invalid_response"],
  ["403 with a foreign error", 403, '{"error":{"message":"no"}}', "invalid_response"],
  ["404", 404, '{"error":"not_found"}', "not_found"],
  ["429", 429, '{"error":"slow_down"}', "invalid_response"],
])("%s is requested once", async (_, status, body, code) => {
  const server = await misbehavingServer((_, response) => text(response, status, body ?? "", { "retry-after": "1" }));
  const { api, runtime } = clientUnderTest(server);
  // Other statuses do not use Retry-After.
  const retryAfter = status >= 400 || status === 204 || status === 304 ? 1 : null;
  const outcome = await failure(api.telemetry());
  expect(outcome).toEqual({ code, status, retryAfter: status === 304 ? null : retryAfter });
  expect(server.requests.length).toBe(1);
  expect(runtime.waits).toEqual([]);
});

test.each(["network", "timeout", "aborted", "log_rewritten", "constructor", "__proto__", ""])(
  "a server that gives the code %j is invalid_response, requested once",
  async (code) => {
    const server = await misbehavingServer((_, response) => json(response, { error: code }, {}, 400));
    const { api } = clientUnderTest(server);
    expect(await failure(api.telemetry())).toMatchObject({ code: "invalid_response", status: 400 });
    expect(server.requests.length).toBe(1);
  },
);

test("a redirect is not followed, and the message names the setting to change", async () => {
  const redirectTarget = await misbehavingServer((_, response) => json(response, TELEMETRY));
  const server = await misbehavingServer((_, response) =>
    text(response, 307, "", { location: `${redirectTarget.base}/x` }),
  );
  const { api } = clientUnderTest(server);
  await expect(api.telemetry()).rejects.toThrow(
    `invalid_response: ${server.base}/v1/public/telemetry redirects: set baseUrl to its target`,
  );
  expect(redirectTarget.requests.length).toBe(0);
  expect(server.requests.length).toBe(1);
});

test("an endless body is read up to the limit, once", async () => {
  const server = await misbehavingServer((_, response) => {
    const chunk = Buffer.alloc(1 << 20, " ");
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200).on("drain", write);
    write();
  });
  const { api } = clientUnderTest(server);
  expect(await failure(api.telemetry())).toEqual({ code: "invalid_response", status: 200, retryAfter: null });
  expect(server.requests.length).toBe(1);
});
