/** The time of published responses (docs/spec/publishing.md#clocks). */
import { expect, test } from "vitest";
import { explicitInstant, notBefore } from "../../../publish/clock/instant.ts";
import { START } from "../world.ts";

const DAY = 86_400_000;

test("a response from more than a minute ahead stops a publisher, and from less makes it wait", () => {
  expect(notBefore(START + 60_000, START)).toBe(START + 60_000);
  expect(() => notBefore(START + 60_001, START)).toThrow(expect.objectContaining({ code: "clock_behind" }));
});

test("--at ahead of the clock is rejected, unless nothing was published and it is forced", () => {
  const ask = (change: object) => explicitInstant({ at: START, now: START, last: 0, force: false, ...change });
  expect(ask({ at: START + 60_000 })).toBe(START + 60_000);
  const refused = expect.objectContaining({ code: "at_in_future" });
  expect(() => ask({ at: START + DAY })).toThrow(refused);
  expect(() => ask({ at: START + DAY, force: true, last: START })).toThrow(refused);
  expect(ask({ at: START + DAY, force: true })).toBe(START + DAY);
});

test("--at before the last published instant is refused, also if it is forced", () => {
  for (const force of [false, true]) {
    const ask = () => explicitInstant({ at: START - 1, now: START, last: START, force });
    expect(ask).toThrow(expect.objectContaining({ code: "at_before_published" }));
  }
});
