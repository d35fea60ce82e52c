import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeObservationCursor, encodeObservationCursor } from "../../../src/resources/observations/route.ts";

test("a position has one cursor, and a cursor one position", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (position) => {
      const cursor = encodeObservationCursor(position);
      expect(cursor).toBe(Buffer.from(String(position)).toString("base64url"));
      expect(decodeObservationCursor(cursor)).toBe(position);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[A-Za-z0-9_-]{1,24}$/)), (text) => {
      const position = decodeObservationCursor(text);
      if (position !== undefined) expect(encodeObservationCursor(position)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

test("cursors of anything but a canonical positive safe integer are invalid", () => {
  for (const decimal of ["0", "-1", "+1", "01", "1.0", "1e3", " 1", "1 ", "9007199254740992", "", "1\n"]) {
    const cursor = Buffer.from(decimal).toString("base64url");
    expect(decodeObservationCursor(cursor), decimal).toBeUndefined();
  }
  // "MR" decodes to the byte of "MQ" with stray bits behind it.
  for (const text of ["MQ==", "MQ=", "MR", " MQ", "MQ\n", "M", "MQ.", "!"]) {
    expect(decodeObservationCursor(text), text).toBeUndefined();
  }
  expect(decodeObservationCursor(Buffer.from("9007199254740991").toString("base64url"))).toBe(9007199254740991);
});
