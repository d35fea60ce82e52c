import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matchesNone } from "../../../src/http/request.ts";

const etagc = fc.stringMatching(/^[!#-~]{0,8}$/);

test("a list matches if one of its tags is the tag, strong or weak, wherever its commas and blanks are", () => {
  const member = fc.record({
    tag: etagc,
    weak: fc.boolean(),
    before: fc.constantFrom("", " ", "\t"),
    after: fc.constantFrom("", " "),
  });
  fc.assert(
    fc.property(fc.array(member, { minLength: 1, maxLength: 5 }), etagc, fc.boolean(), (list, revision, weak) => {
      const field = list.map((m) => `${m.before}${m.weak ? "W/" : ""}"${m.tag}"${m.after}`).join(",");
      const etag = `${weak ? "W/" : ""}"${revision}"`;
      expect(matchesNone(field, etag)).toBe(list.some((m) => m.tag === revision));
    }),
    { numRuns: 500 },
  );
});

test("a comma inside a tag parts nothing", () => {
  expect(matchesNone('"a,b"', '"a,b"')).toBe(true);
  expect(matchesNone('"a,b", "c"', '"c"')).toBe(true);
  expect(matchesNone('"x, "r" ,y"', '"r"')).toBe(false);
});

test("* alone is any tag, in a list or in quotes it is none", () => {
  expect(matchesNone("*", '"r"')).toBe(true);
  expect(matchesNone(" * ", '"r"')).toBe(true);
  expect(matchesNone('"x", *', '"r"')).toBe(false);
  expect(matchesNone('"*"', '"r"')).toBe(false);
});

test("only blanks and tabs may be around *, as around a tag", () => {
  expect(matchesNone("\t* ", '"r"')).toBe(true);
  expect(matchesNone("\u00a0*", '"r"')).toBe(false);
  expect(matchesNone('\u00a0"r"', '"r"')).toBe(false);
});

test("every field gets a result", () => {
  fc.assert(fc.property(fc.string(), (field) => typeof matchesNone(field, '"r"') === "boolean"));
});
