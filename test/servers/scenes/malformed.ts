/**
 * Malformed HTTP to a front, byte by byte. If possible, the front responds with an API error. If it responds before any
 * rule of the generated files, the status is the documented one.
 */
import { expect, test } from "vitest";
import { raw } from "../../shim/node/server-under-test.ts";
import type { Front } from "../front.ts";

const TARGET = "/v4/public/process";
const HOST = "Host: x\r\n";
const CLOSE = "Connection: close\r\n\r\n";
const fields = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: y\r\n`).join("");

/** All close their connection. */
const REQUESTS = {
  "an unknown expectation": `GET ${TARGET} HTTP/1.1\r\n${HOST}Expect: 200-ok\r\n${CLOSE}`,
  CONNECT: `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n${CLOSE}`,
  "an unknown method": `FOO / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "a method in lower case": `get / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "a method that is not a token": `G(T / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "no method": ` / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "no HTTP at all": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
  "an unknown version": `GET ${TARGET} HTTP/3.0\r\n${HOST}${CLOSE}`,
  "an invalid field": `GET ${TARGET} HTTP/1.1\r\n${HOST}a b: c\r\n${CLOSE}`,
  "two lengths": `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n${CLOSE}xx`,
  "a length and chunked encoding": `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n${CLOSE}0\r\n\r\n`,
  "no host": `GET ${TARGET} HTTP/1.1\r\n${CLOSE}`,
  "no host in HTTP/1.0": `GET ${TARGET} HTTP/1.0\r\n\r\n`,
  "two hosts": `GET ${TARGET} HTTP/1.1\r\n${HOST}${HOST}${CLOSE}`,
  "an invalid host": `GET ${TARGET} HTTP/1.1\r\nHost: a/b\r\n${CLOSE}`,
  "a good host": `GET ${TARGET} HTTP/1.1\r\nHost: [::1]:8787\r\n${CLOSE}`,
  "sixty fields": `GET ${TARGET} HTTP/1.1\r\n${HOST}${fields(60)}${CLOSE}`,
  "two hundred fields to the shim": `GET ${TARGET}?a HTTP/1.1\r\n${HOST}${fields(200)}${CLOSE}`,
  "three hundred fields": `GET ${TARGET} HTTP/1.1\r\n${HOST}${fields(300)}${CLOSE}`,
  "a field of 13 kB": `GET ${TARGET} HTTP/1.1\r\n${HOST}a: ${"b".repeat(13_000)}\r\n${CLOSE}`,
  "a field of 17 kB": `GET ${TARGET} HTTP/1.1\r\n${HOST}a: ${"b".repeat(17_000)}\r\n${CLOSE}`,
  "a target of 17 kB": `GET /${"b".repeat(17_000)} HTTP/1.1\r\n${HOST}${CLOSE}`,
} as const;

/** A bare status is the front's own response, without the API's headers. `{ error }` is the API's. */
export type Answered = number | { readonly error: string; readonly status: number } | "the response";
export type Malformed = keyof typeof REQUESTS;

const BAD = { status: 400, error: "bad_request" } as const;
const METHOD = { status: 405, error: "method_not_allowed" } as const;
const LARGE = { status: 431, error: "headers_too_large" } as const;

/** The response of a front without an exception. A cache serves a cached response regardless of other header fields. */
const ASKED: Readonly<Record<Malformed, Answered>> = {
  "an unknown expectation": "the response",
  CONNECT: METHOD,
  "an unknown method": METHOD,
  "a method in lower case": METHOD,
  "a method that is not a token": BAD,
  "no method": BAD,
  "no HTTP at all": BAD,
  "an unknown version": BAD,
  "an invalid field": BAD,
  "two lengths": BAD,
  "a length and chunked encoding": BAD,
  "no host": BAD,
  "no host in HTTP/1.0": "the response",
  "two hosts": BAD,
  "an invalid host": BAD,
  "a good host": "the response",
  "sixty fields": "the response",
  "two hundred fields to the shim": { status: 400, error: "invalid_query" },
  "three hundred fields": LARGE,
  "a field of 13 kB": "the response",
  "a field of 17 kB": LARGE,
  "a target of 17 kB": LARGE,
};

/** `otherwise` has the front's documented exceptions. */
export function testMalformed(front: () => Front, otherwise: Partial<Record<Malformed, Answered>>): void {
  test.each(Object.keys(REQUESTS) as Malformed[])(
    "a malformed request gets an error of the API or the front: %s",
    async (name) => {
      const plain = await fetch(`http://127.0.0.1:${front().port}${TARGET}`);
      const answer = await plain.text();
      const received = await raw(front().port, REQUESTS[name]);
      expect(judged(received, answer)).toEqual(otherwise[name] ?? ASKED[name]);
    },
  );
}

/** `plain` is the body of the response to a plain request. */
function judged(received: string, answer: string): Answered {
  const [head = "", body = ""] = received.split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (!/^access-control-allow-origin: \*$/im.test(head)) return status;
  expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
  expect(Number(/^content-length: (\d+)$/im.exec(head)?.[1])).toBe(body.length);
  if (status === 200) return body === answer ? "the response" : 200;
  if (status === 405) expect(head).toMatch(/^allow: GET, HEAD, OPTIONS$/im);
  const { error, ...rest } = JSON.parse(body) as { error: string };
  expect(rest).toEqual({});
  return { error, status };
}
