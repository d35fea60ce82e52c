import { expect, test } from "vitest";
import { DEFAULT_LIMITS, type ServerLimits } from "../../../../src/shim/node/connections/limits.ts";
import { refusalOfError } from "../../../../src/shim/node/connections/refusals.ts";
import { fastestMs } from "../../../support/fastest-ms.ts";
import { MemoryStore } from "../../../support/memory-store.ts";
import { contextOver, raw, start } from "../server-under-test.ts";

async function startedPort(limits: Partial<ServerLimits> = {}): Promise<number> {
  const server = await start(contextOver(new MemoryStore()), {
    wallClock: () => Date.parse("2026-11-20T10:00:00Z"),
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  return server.port;
}

/** A raw response. Also checks the length of its body. */
function answers(text: string): (readonly [status: number, body: string])[] {
  const found: [number, string][] = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    const head = rest.slice(0, end);
    expect(head).toMatch(/^HTTP\/1\.1 \d{3} /);
    expect(head).toMatch(/^access-control-allow-origin: \*$/im);
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
    expect(head).toMatch(/^date: /im);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    found.push([Number(head.slice(9, 12)), rest.slice(end + 4, end + 4 + length)]);
    rest = rest.slice(end + 4 + length);
  }
  return found;
}

const BAD = [400, '{"error":"bad_request"}'] as const;
const METHOD = [405, '{"error":"method_not_allowed"}'] as const;
const LARGE = [431, '{"error":"headers_too_large"}'] as const;
const UNKNOWN = [404, '{"error":"not_found"}'] as const;
const HOST = "Host: x\r\n";
const CLOSE = "Connection: close\r\n\r\n";

test.each([
  ["an unknown expectation", `GET / HTTP/1.1\r\n${HOST}Expect: 200-ok\r\n${CLOSE}`, 417, "expectation_failed"],
  ["CONNECT", "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", 405, "method_not_allowed"],
  ["an unknown method", `FOO / HTTP/1.1\r\n${HOST}\r\n`, 405, "method_not_allowed"],
  ["a method in lower case", `get / HTTP/1.1\r\n${HOST}\r\n`, 405, "method_not_allowed"],
  ["a method that starts like another", `GETS / HTTP/1.1\r\n${HOST}\r\n`, 405, "method_not_allowed"],
  ["an RTSP method", `DESCRIBE / HTTP/1.1\r\n${HOST}\r\n`, 405, "method_not_allowed"],
  ["every character of a token", `!#$%&'*+.^_\`|~0aZ- / HTTP/1.1\r\n${HOST}\r\n`, 405, "method_not_allowed"],
  ["a known method that the API does not use", `PURGE / HTTP/1.1\r\n${HOST}${CLOSE}`, 405, "method_not_allowed"],
  ["a method that is not a token", `G(T / HTTP/1.1\r\n${HOST}\r\n`, 400, "bad_request"],
  ["no method", ` / HTTP/1.1\r\n${HOST}\r\n`, 400, "bad_request"],
  ["an unknown method in an invalid request line", `FOO bar baz\r\n${HOST}\r\n`, 400, "bad_request"],
  ["an unknown method with an invalid field", `FOO / HTTP/1.1\r\n${HOST}a b: c\r\n\r\n`, 400, "bad_request"],
  ["an unknown method without a host", "FOO / HTTP/1.1\r\n\r\n", 400, "bad_request"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"],
  ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "bad_request"],
  ["an invalid field", `GET / HTTP/1.1\r\n${HOST}a b: c\r\n\r\n`, 400, "bad_request"],
  ["two lengths", `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`, 400, "bad_request"],
  [
    "a length and chunked encoding",
    `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    "bad_request",
  ],
  ["no host", "GET / HTTP/1.1\r\n\r\n", 400, "bad_request"],
  ["two hosts", `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400, "bad_request"],
  ["an invalid host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "bad_request"],
  ["a hundred and one fields", `GET / HTTP/1.1\r\n${HOST}${"a: b\r\n".repeat(100)}\r\n`, 431, "headers_too_large"],
  ["thousands of fields", `GET / HTTP/1.1\r\n${"a:b\r\n".repeat(2_500)}${HOST}\r\n`, 431, "headers_too_large"],
  ["a long field", `GET / HTTP/1.1\r\n${HOST}a: ${"b".repeat(17_000)}\r\n\r\n`, 431, "headers_too_large"],
  ["a long target", `GET /${"b".repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n`, 431, "headers_too_large"],
] as const)("a malformed request gets its error: %s", async (_, request, status, error) => {
  const port = await startedPort();
  const received = await raw(port, request);
  expect(answers(received)).toEqual([[status, `{"error":"${error}"}`]]);
  expect(received).toMatch(/^connection: close$/im);
  if (status === 405) expect(received).toMatch(/^allow: GET, HEAD, OPTIONS$/im);
});

test.each(["x", "x:80", "", "[::1]:8787", "a.example", "a-b_c.example:1", "%41.example"])(
  "the host %j is accepted",
  async (host) => {
    const port = await startedPort();
    expect(answers(await raw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}`))).toEqual([UNKNOWN]);
  },
);

test("an HTTP/1.0 request needs no host", async () => {
  expect(answers(await raw(await startedPort(), "GET / HTTP/1.0\r\n\r\n"))).toEqual([UNKNOWN]);
});

test("a malformed request gets its response in order, after earlier ones", async () => {
  const port = await startedPort();
  const good = `GET / HTTP/1.1\r\n${HOST}\r\n`;
  expect(answers(await raw(port, `${good}${good}FOO / HTTP/1.1\r\n${HOST}\r\n${good}`))).toEqual([
    UNKNOWN,
    UNKNOWN,
    METHOD,
  ]);
  expect(answers(await raw(port, `${good}CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n`))).toEqual([UNKNOWN, METHOD]);
  expect(answers(await raw(port, good, `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n${good}`))).toEqual([UNKNOWN, BAD]);
  expect(answers(await raw(port, good, `GET / HTTP/1.1\r\na: ${"b".repeat(17_000)}`))).toEqual([UNKNOWN, LARGE]);
});

test("a body with broken framing closes the connection after its response", async () => {
  const port = await startedPort();
  const chunked = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
  expect(answers(await raw(port, chunked, "x\r\n"))).toEqual([METHOD]);
  expect(answers(await raw(port, `${chunked}x\r\n`))).toEqual([METHOD]);
});

test("an endless body is not read to its end", async () => {
  const port = await startedPort();
  const head = `POST / HTTP/1.1\r\n${HOST}Content-Length: 1000000000000\r\n\r\n`;
  const megabyte = "x".repeat(1 << 20);
  // The test is that it ends. A client that is cut off while it still writes may lose the response.
  expect(await raw(port, head, megabyte, megabyte, "x")).toMatch(/^(?:HTTP\/1\.1 405 |$)/);
});

test("a request that does not arrive completely gets 408 in time, and a silent connection is closed", async () => {
  const port = await startedPort({ requestTimeout: 1_000 });
  const [partial, silent, slowBody] = await Promise.all([
    raw(port, `GET / HTTP/1.1\r\n${HOST}`),
    raw(port),
    raw(port, `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nx`),
  ]);
  expect(answers(partial)).toEqual([[408, '{"error":"request_timeout"}']]);
  expect(silent).toBe("");
  expect(answers(slowBody)).toEqual([METHOD]);
});

test.each([
  ["spaces in a Host field", `BREW / HTTP/1.1\r\nHost:x${" ".repeat(65_000)}y\r\n\r\n`],
  ["colons", `BREW / HTTP/1.1\r\n${"a:\r\n".repeat(16_000)}`],
  ["line ends", `BREW / HTTP/1.1\r${"\r\r\n".repeat(21_000)}`],
])("64 KiB of %s after an unknown method take at most 5 ms", (_, packet) => {
  const error = Object.assign(new Error("a method"), {
    code: "HPE_INVALID_METHOD",
    rawPacket: Buffer.from(packet),
    bytesParsed: 4,
  });
  expect(fastestMs(() => refusalOfError(error))).toBeLessThan(5);
});
