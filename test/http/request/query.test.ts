import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseQuery, uniqueParameters } from "../../../src/http/request.ts";

test("a query is split at &, empty pieces dropped, a piece without = has an empty value", () => {
  expect(parseQuery("")).toEqual([]);
  expect(parseQuery("&&")).toEqual([]);
  expect(parseQuery("a")).toEqual([{ name: "a", value: "" }]);
  expect(parseQuery("a=&=b&c=d=e")).toEqual([
    { name: "a", value: "" },
    { name: "", value: "b" },
    { name: "c", value: "d=e" },
  ]);
});

test("pieces decode as forms do, and a half that is not UTF-8 is undefined", () => {
  expect(parseQuery("a+b=%C3%A9")).toEqual([{ name: "a b", value: "é" }]);
  for (const broken of ["%", "%4", "%zz", "%FF", "%C3", "%C0%80", "%ED%A0%80"]) {
    expect(parseQuery(`a=${broken}`), broken).toEqual([{ name: "a", value: undefined }]);
    expect(parseQuery(`${broken}=a`), broken).toEqual([{ name: undefined, value: "a" }]);
  }
});

test("every form URLSearchParams writes is read back", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }))), (pairs) => {
      const written = new URLSearchParams(pairs).toString();
      expect(parseQuery(written)).toEqual(pairs.map(([name, value]) => ({ name, value })));
    }),
  );
});

test("unique parameters: none twice, none that does not decode", () => {
  expect(uniqueParameters("range=7d&queue=1")).toEqual(
    new Map([
      ["range", "7d"],
      ["queue", "1"],
    ]),
  );
  expect(uniqueParameters("range=7d&range=7d")).toBeUndefined();
  expect(uniqueParameters("range=7d&%72ange=7d")).toBeUndefined();
  expect(uniqueParameters("range=7d&x=%ff")).toBeUndefined();
});
