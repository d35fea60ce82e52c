/** The byte edits of successors, and how many of them fit into an object's metadata. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { byteEdits, type Future, metadataBytes, responseObject, type State } from "../../../publish/plan/successors.ts";
import { applyEdits, type Successor } from "../../../src/http/successor.ts";
import { MAX_METADATA_BYTES } from "../../../src/object-store/check-object.ts";
import { decodeResponse } from "../../../src/object-store/stored-response.ts";

const applied = (before: string, after: string) =>
  new TextDecoder().decode(applyEdits(Buffer.from(before), byteEdits(before, after)));

test("byte edits transform any JSON text into any other", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme" }), (one, other) => {
      const [before, after] = [JSON.stringify(one), JSON.stringify(other)];
      expect(applied(before, after)).toBe(after);
    }),
  );
});

const LATEST = Date.parse("9999-12-31T23:59:59.999Z");
const TAG = `"${"A".repeat(43)}"`;

/** Applies edits in order. */
function ascending(gaps: readonly { readonly gap: number; readonly length: number; readonly text: string }[]) {
  let end = 0;
  return gaps.map(({ gap, length, text }) => {
    const offset = end + gap;
    end = offset + length;
    return { offset, length, text };
  });
}

/** Like process over time: its tag, generatedAt, and the states of measurement, queue and builder change. */
const change = fc.record({
  from: fc.constant(LATEST),
  headers: fc.constant({ etag: TAG }),
  edits: fc
    .array(
      fc.record({
        gap: fc.nat(1_300),
        length: fc.nat(99),
        text: fc.string({ maxLength: 45, unit: "grapheme-ascii" }),
      }),
      { maxLength: 12 },
    )
    .map(ascending),
}) satisfies fc.Arbitrary<Successor>;

function futureOf(successors: readonly Successor[]): Future {
  const states = [LATEST, ...successors.map(({ from }) => from)].map((from): State => [from, "A".repeat(22)]);
  const headers = { etag: TAG, "cache-control": "public, max-age=0, must-revalidate" };
  // The length that the edits declare.
  return { built: { status: 200, headers, body: "x".repeat(20_000), fingerprintText: "" }, successors, states };
}

test("the metadata fit for any successors, and always include the next change", () => {
  let shortened = 0;
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), (successors) => {
      const { object, states } = responseObject(futureOf(successors), LATEST, LATEST);
      expect(metadataBytes(object)).toBeLessThanOrEqual(MAX_METADATA_BYTES);
      const stored = decodeResponse(object);
      expect(stored.successors).toEqual(successors.slice(0, states.length - 1));
      expect(stored.successors.length).toBeGreaterThanOrEqual(Math.min(1, successors.length));
      if (states.length <= successors.length) shortened++;
    }),
  );
  expect(shortened).toBeGreaterThan(0);
});

test("a next change that cannot fit is an error, not a response without an end", () => {
  const edits = [{ offset: 0, length: 0, text: "x".repeat(2_000) }];
  expect(() => responseObject(futureOf([{ from: LATEST, edits }]), LATEST)).toThrow(
    expect.objectContaining({ code: "internal_error" }),
  );
});
