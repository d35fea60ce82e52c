import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matchObject } from "../../src/resources/find.ts";
import { ROUTES } from "../../src/resources/table.ts";

test("no two queries of a route read the same object, and no two routes share an object", () => {
  const keys = ROUTES.flatMap(({ objects }) => objects.map(({ key }) => key));
  expect(new Set(keys).size).toBe(keys.length);
});

test("a query matches exactly, in any order and encoding, and no other query does", () => {
  const listed = ROUTES.filter(({ query }) => query === "listed").flatMap((route) =>
    route.objects.map((object) => ({ route, object })),
  );
  const encode = (text: string, every: boolean) =>
    every ? [...text].map((unit) => `%${unit.charCodeAt(0).toString(16)}`).join("") : text;
  fc.assert(
    fc.property(fc.constantFrom(...listed), fc.boolean(), fc.boolean(), ({ route, object }, turned, every) => {
      const pieces = object.query.split("&").map((piece) =>
        piece
          .split("=")
          .map((half) => encode(half, every))
          .join("="),
      );
      const query = (turned ? pieces.toReversed() : pieces).join("&");
      expect(matchObject(route, query)).toBe(object);
      expect(matchObject(route, `${query}&x`)).toBeUndefined();
      expect(matchObject(route, `x=1&${query}`)).toBeUndefined();
      if (query !== "") expect(matchObject(route, `${query}&${pieces[0]}`)).toBeUndefined();
    }),
  );
});
