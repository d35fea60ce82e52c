/**
 * Conditions and ranges that the API does not have, with empty and with full values, and long heads: none changes a
 * response.
 */
import { expect, test } from "vitest";
import { raw } from "../../shim/node/server-under-test.ts";
import type { Front } from "../front.ts";

const NAMES = ["If-Match", "If-Unmodified-Since", "If-Modified-Since", "If-Range", "Range"];
const VALUES = ["", " ", "*", '"x"', "Sat, 21 Nov 2037 21:13:54 GMT", "bytes=0-0", "bytes=9999999-"];
const TARGETS = [
  "/v4/public/process",
  "/v3/public/settlements?range=now",
  "/v1/public/telemetry",
  "/v1/public/activity?limit=1",
  "/docs",
];

export function testConditions(front: () => Pick<Front, "port">): void {
  const ask = async (target: string, fields: string) => {
    const text = await raw(
      front().port,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n${fields}Connection: close\r\n\r\n`,
    );
    const [head = "", body] = text.split("\r\n\r\n");
    const [status, ...lines] = head.split("\r\n");
    const own = lines.map((field) => field.replace(/^[^:]+/, (name) => name.toLowerCase()));
    return [status, ...own.filter((field) => !/^(?:date|age|connection):/.test(field)).sort(), body].join("\n");
  };
  test.each(TARGETS)("conditions on %s, twice each", async (target) => {
    const plain = await ask(target, "");
    expect(plain).toMatch(/^HTTP\/1\.1 200 /);
    for (const field of [
      ...NAMES.flatMap((name) => VALUES.map((value) => `${name}: ${value}\r\n`)),
      "If-None-Match:\r\n",
    ])
      for (let times = 0; times < 2; times++) expect([field, await ask(target, field)]).toEqual([field, plain]);
  });

  test("heads of 8 to 16 kB", async () => {
    const target = "/v4/public/process";
    const plain = await ask(target, "");
    for (const kilobytes of [8, 10, 12, 14, 15]) {
      const fields = Array.from({ length: kilobytes }, (_, at) => `x-${at}: ${"b".repeat(1_010)}\r\n`).join("");
      expect([kilobytes, await ask(target, fields)]).toEqual([kilobytes, plain]);
    }
  });
}
