import { expect, test } from "vitest";
import { chooseCoding } from "../../../src/shim/node/encoded-responses.ts";

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
  // Nothing that is offered is taken: as it is (docs/spec/api.md#malformed-http).
  ["identity;q=0", undefined],
  ["identity;q=0, *;q=0", undefined],
  ["identity;q=0, deflate", undefined],
  // A malformed member is ignored.
  ["gzip;q=2", undefined],
  ["gzip;q=0.1234", undefined],
  ["gzip q=1, br;level=3", undefined],
  [" \tgzip\t;\tQ=0.5 ,,", "gzip"],
  ["gzip;q=0, gzip", "gzip"],
] as const)("%j gets %j", (field, coding) => {
  expect(chooseCoding(field)).toBe(coding);
});

test("a long field takes no long time", () => {
  expect(chooseCoding(`${"gzip;q=0 ".repeat(1_500)}, br`)).toBe("br");
});
