/**
 * A front under malformed HTTP, byte by byte. If it can, it responds with an error of the API. Its own response, before any
 * rule of the generated files, has the status that its page names.
 */
import { expect, test } from "vitest";
import { raw } from "../../shim/node/server-under-test.ts";
import type { Front } from "../front.ts";

const TARGET = "/v4/public/process";
const HOST = "Host: x\r\n";
const CLOSE = "Connection: close\r\n\r\n";
const fields = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: y\r\n`).join("");

/** All end their connection. */
const REQUESTS = {
  "an expectation that nobody has": `GET ${TARGET} HTTP/1.1\r\n${HOST}Expect: 200-ok\r\n${CLOSE}`,
  CONNECT: `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n${CLOSE}`,
  "a method of nobody's": `FOO / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "a method in small letters": `get / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "what is no token": `G(T / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "no method": ` / HTTP/1.1\r\n${HOST}${CLOSE}`,
  "no HTTP at all": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
  "a version of nobody's": `GET ${TARGET} HTTP/3.0\r\n${HOST}${CLOSE}`,
  "a field that is none": `GET ${TARGET} HTTP/1.1\r\n${HOST}a b: c\r\n${CLOSE}`,
  "two lengths": `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n${CLOSE}xx`,
  "a length and chunks": `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n${CLOSE}0\r\n\r\n`,
  "no host": `GET ${TARGET} HTTP/1.1\r\n${CLOSE}`,
  "no host in HTTP/1.0": `GET ${TARGET} HTTP/1.0\r\n\r\n`,
  "two hosts": `GET ${TARGET} HTTP/1.1\r\n${HOST}${HOST}${CLOSE}`,
  "a host that is none": `GET ${TARGET} HTTP/1.1\r\nHost: a/b\r\n${CLOSE}`,
  "a good host": `GET ${TARGET} HTTP/1.1\r\nHost: [::1]:8787\r\n${CLOSE}`,
  "sixty fields": `GET ${TARGET} HTTP/1.1\r\n${HOST}${fields(60)}${CLOSE}`,
  "two hundred fields to the shim": `GET ${TARGET}?a HTTP/1.1\r\n${HOST}${fields(200)}${CLOSE}`,
  "three hundred fields": `GET ${TARGET} HTTP/1.1\r\n${HOST}${fields(300)}${CLOSE}`,
  "a field of 13 kB": `GET ${TARGET} HTTP/1.1\r\n${HOST}a: ${"b".repeat(13_000)}\r\n${CLOSE}`,
  "a field of 17 kB": `GET ${TARGET} HTTP/1.1\r\n${HOST}a: ${"b".repeat(17_000)}\r\n${CLOSE}`,
  "a target of 17 kB": `GET /${"b".repeat(17_000)} HTTP/1.1\r\n${HOST}${CLOSE}`,
} as const;

/** A status alone: the front's own response, without the API's headers. `{ error }`: the API's. */
export type Answered = number | { readonly error: string; readonly status: number } | "the answer";
export type Malformed = keyof typeof REQUESTS;

const BAD = { status: 400, error: "bad_request" } as const;
const METHOD = { status: 405, error: "method_not_allowed" } as const;
const LARGE = { status: 431, error: "headers_too_large" } as const;

/** The API's rule (docs/spec/api.md#malformed-http); a cache serves a kept response whatever else the head has. */
const ASKED: Readonly<Record<Malformed, Answered>> = {
  "an expectation that nobody has": { status: 417, error: "expectation_failed" },
  CONNECT: METHOD,
  "a method of nobody's": METHOD,
  "a method in small letters": METHOD,
  "what is no token": BAD,
  "no method": BAD,
  "no HTTP at all": BAD,
  "a version of nobody's": BAD,
  "a field that is none": BAD,
  "two lengths": BAD,
  "a length and chunks": BAD,
  "no host": BAD,
  "no host in HTTP/1.0": "the answer",
  "two hosts": BAD,
  "a host that is none": BAD,
  "a good host": "the answer",
  "sixty fields": "the answer",
  "two hundred fields to the shim": LARGE,
  "three hundred fields": LARGE,
  "a field of 13 kB": "the answer",
  "a field of 17 kB": LARGE,
  "a target of 17 kB": LARGE,
};

/** `otherwise`: what the front's page says that it cannot. */
export function refusesMalformed(front: () => Front, otherwise: Partial<Record<Malformed, Answered>>): void {
  test.each(Object.keys(REQUESTS) as Malformed[])(
    "a malformed request gets an error of the API or the front: %s",
    async (name) => {
      const plain = await fetch(`http://127.0.0.1:${front().port}${TARGET}`);
      const answer = await plain.text();
      const answered = await raw(front().port, REQUESTS[name]);
      expect(judged(answered, answer)).toEqual(otherwise[name] ?? ASKED[name]);
    },
  );
}

/** `plain` is the body of the response to a plain request. */
function judged(answered: string, answer: string): Answered {
  const [head = "", body = ""] = answered.split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (!/^access-control-allow-origin: \*$/im.test(head)) return status;
  expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
  expect(Number(/^content-length: (\d+)$/im.exec(head)?.[1])).toBe(body.length);
  if (status === 200) return body === answer ? "the answer" : 200;
  if (status === 405) expect(head).toMatch(/^allow: GET, HEAD, OPTIONS$/im);
  const { error, ...rest } = JSON.parse(body) as { error: string };
  expect(rest).toEqual({});
  return { error, status };
}
