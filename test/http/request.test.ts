/** Request targets, queries and If-None-Match (docs/spec/api.md#http). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matchesNone, parseQuery, parseTarget, uniqueParameters } from "../../src/http/request.ts";

test("a target has the path and query of a WHATWG URL, so that every runtime agrees", () => {
  const piece = fc.constantFrom(
    "/",
    "//",
    ".",
    "..",
    "%2e",
    "%2E",
    "a",
    "v1",
    "~",
    ":",
    "%2F",
    "%",
    "?",
    "&",
    "\\",
    "#",
    "@",
    "=",
    "é",
    " ",
    "|",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const target = `/${pieces.join("")}`;
      const url = new URL(`http://shim.example${target}`);
      expect(parseTarget(target)).toEqual({ path: url.pathname, query: url.search.slice(1) });
      expect(parseTarget(url.href)).toEqual(parseTarget(target));
    }),
    { numRuns: 2000 },
  );
});

test("a path never becomes a host, and an invalid target has no route", () => {
  expect(parseTarget("//host/v1")?.path).toBe("//host/v1");
  expect(parseTarget("/\\host/v1")?.path).toBe("//host/v1");
  expect(parseTarget("/@host/v1")?.path).toBe("/@host/v1");
  for (const target of ["*", "", "host:443", "ftp://host/", "http://[", "v1/public"]) {
    expect(parseTarget(target)?.path.startsWith("/v1") ?? false, target).toBe(false);
  }
});

test("a query is split at &, empty pieces are dropped, and a piece without = has an empty value", () => {
  expect(parseQuery("")).toEqual([]);
  expect(parseQuery("&&")).toEqual([]);
  expect(parseQuery("a")).toEqual([{ name: "a", value: "" }]);
  expect(parseQuery("a=&=b&c=d=e")).toEqual([
    { name: "a", value: "" },
    { name: "", value: "b" },
    { name: "c", value: "d=e" },
  ]);
});

test("pieces are decoded like form data, and one with invalid UTF-8 is undefined", () => {
  expect(parseQuery("a+b=%C3%A9")).toEqual([{ name: "a b", value: "é" }]);
  for (const broken of ["%", "%4", "%zz", "%FF", "%C3", "%C0%80", "%ED%A0%80"]) {
    expect(parseQuery(`a=${broken}`), broken).toEqual([{ name: "a", value: undefined }]);
    expect(parseQuery(`${broken}=a`), broken).toEqual([{ name: undefined, value: "a" }]);
  }
});

test("unique parameters reject repeated names and values that do not decode", () => {
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

const etagc = fc.stringMatching(/^[!#-~]{0,8}$/);

test("a list matches if it contains the tag, strong or weak, with any commas and spaces", () => {
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

test("* matches any tag, but not in a list or in quotes", () => {
  expect(matchesNone("*", '"r"')).toBe(true);
  expect(matchesNone(" * ", '"r"')).toBe(true);
  expect(matchesNone('"x", *', '"r"')).toBe(false);
  expect(matchesNone('"*"', '"r"')).toBe(false);
});
