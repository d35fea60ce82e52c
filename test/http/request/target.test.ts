import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseTarget } from "../../../src/http/request.ts";

test("a target is what WHATWG URL makes of it behind a host, so that every runtime agrees", () => {
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

test("a host is never made of a path, and what is no target is none", () => {
  expect(parseTarget("//host/v1")?.path).toBe("//host/v1");
  expect(parseTarget("/\\host/v1")?.path).toBe("//host/v1");
  expect(parseTarget("/@host/v1")?.path).toBe("/@host/v1");
  for (const target of ["*", "", "host:443", "ftp://host/", "http://[", "v1/public"]) {
    expect(parseTarget(target)?.path.startsWith("/v1") ?? false, target).toBe(false);
  }
});
