import { expect, test } from "vitest";
import { isNewerProgram } from "../../../publish/plan/source-version.ts";

test("program versions are compared number by number, prereleases come first, and unknown ones are never newer", () => {
  const ascending = ["0.9.9", "0.10.0", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.1.0", "2.0.0"];
  for (const [index, one] of ascending.entries()) {
    for (const [otherIndex, other] of ascending.entries()) {
      expect([one, other, isNewerProgram(one, other)]).toEqual([one, other, index > otherIndex]);
    }
    expect(isNewerProgram(one, undefined)).toBe(false);
    expect(isNewerProgram(undefined, one)).toBe(false);
  }
});
