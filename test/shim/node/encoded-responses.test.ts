/** Compressed responses, and the coding chosen from Accept-Encoding (docs/spec/api.md#malformed-http). */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { statisticsRoute } from "../../../src/resources/statistics/route.ts";
import { rowResponse } from "../../../src/shim/full-response.ts";
import { chooseCoding, EncodedResponses } from "../../../src/shim/node/encoded-responses.ts";

const TEXT = JSON.stringify({ revision: "r", list: Array.from({ length: 500 }, (_, index) => index) });
const REVALIDATE = "public, max-age=0, must-revalidate";
const full = (text = TEXT) =>
  rowResponse(
    statisticsRoute,
    { status: 200, headers: { etag: '"r"', "cache-control": REVALIDATE } },
    new TextEncoder().encode(text),
  );

test.each([
  ["br", brotliDecompressSync],
  ["gzip", gunzipSync],
] as const)("%s has the same text under the weak tag", async (coding, decompress) => {
  const answer = full();
  const encoded = await new EncodedResponses().encode(answer, coding);
  expect(String(decompress(encoded.body))).toBe(TEXT);
  const { "content-length": _, ...headers } = answer.headers;
  expect(encoded.headers).toEqual({
    ...headers,
    etag: 'W/"r"',
    vary: "Accept-Encoding",
    "content-encoding": coding,
    "content-length": String(encoded.body.length),
  });
  expect(encoded.validator?.etag).toBe('"r"');
  expect(encoded.validator?.notModified).toMatchObject({ etag: 'W/"r"', vary: "Accept-Encoding" });
});

test("an uncompressed response has the strong tag and Vary", async () => {
  const answer = full();
  const plain = await new EncodedResponses().encode(answer, undefined);
  expect(plain).toEqual({
    ...answer,
    headers: { ...answer.headers, vary: "Accept-Encoding" },
    validator: { etag: '"r"', notModified: { ...answer.validator?.notModified, vary: "Accept-Encoding" } },
  });
  expect(plain.body).toBe(answer.body);
});

test("an object or a page is compressed once for concurrent and later requests", async () => {
  const encoded = new EncodedResponses();
  const answer = full();
  const [one, other] = await Promise.all([encoded.encode(answer, "br"), encoded.encode(answer, "br")]);
  expect(other).toBe(one);
  expect(encoded.encode(answer, "br")).toBe(one);
  expect((await encoded.encode(full(), "br")).body).toBe(one.body);
  const [page, same] = await Promise.all([
    encoded.encode(full(`${TEXT} `), "br"),
    encoded.encode(full(`${TEXT} `), "br"),
  ]);
  expect(same.body).toBe(page.body);
  expect(encoded.compressions).toBe(2);
});

test.each([
  [undefined, undefined],
  ["", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["GZip", "gzip"],
  ["br", "br"],
  ["gzip, br", "br"],
  ["gzip, deflate, br, zstd", "br"],
  ["deflate", undefined],
  ["gzip;q=1.0, br;q=0.9", "gzip"],
  ["gzip;q=0.5, br;q=0.5", "br"],
  ["gzip;q=0", undefined],
  ["br;q=0, gzip;q=0.001", "gzip"],
  ["*", "br"],
  ["*;q=0", undefined],
  ["*, br;q=0", "gzip"],
  ["gzip, *;q=0", "gzip"],
  ["identity", undefined],
  ["identity, gzip", "gzip"],
  ["identity;q=1, gzip;q=0.5", undefined],
  ["identity;q=0.5, gzip;q=0.6", "gzip"],
  ["identity;q=0, gzip", "gzip"],
  // None of the offered codings is supported, so the body is sent as it is (docs/spec/api.md#malformed-http).
  ["identity;q=0", undefined],
  ["identity;q=0, *;q=0", undefined],
  ["identity;q=0, deflate", undefined],
  // A malformed member is ignored.
  ["gzip;q=2", undefined],
  ["gzip;q=0.1234", undefined],
  ["gzip q=1, br;level=3", undefined],
  [" \tgzip\t;\tQ=0.5 ,,", "gzip"],
  ["gzip;q=0, gzip", "gzip"],
] as const)("Accept-Encoding %j gets %j", (field, coding) => {
  expect(chooseCoding(field)).toBe(coding);
});
