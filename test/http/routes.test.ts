import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matchObject, matchPath } from "../../src/http/route-match.ts";
import { type NamedRoute, ROUTES } from "../../src/http/routes.ts";
import { RESOURCE_NAMES } from "../../src/resources/names.ts";

const TABLE: readonly NamedRoute[] = ROUTES;

test("ten routes, each resource among them, each path its own row", () => {
  expect(TABLE).toHaveLength(10);
  expect(new Set(TABLE.map(({ resource }) => resource))).toEqual(new Set(RESOURCE_NAMES));
  for (const route of TABLE) {
    const match = matchPath(route.path.replace("{installationId}", "wheel-1"));
    expect(match?.route).toBe(route);
    expect(match?.installationId).toBe(route.path.includes("{installationId}") ? "wheel-1" : undefined);
  }
});

test("no two queries of a route read one object, no object stands on two rows", () => {
  const keys = TABLE.flatMap(({ objects }) => objects.map(({ key }) => key));
  expect(new Set(keys).size).toBe(keys.length);
});

test("what read-api.md 4 says of validators and caches", () => {
  const named = (predicate: (route: NamedRoute) => boolean) => TABLE.filter(predicate).map(({ name }) => name);
  expect(named(({ conditional }) => conditional)).toEqual([
    "process",
    "statistics",
    "settlements",
    "settlements-legacy",
  ]);
  expect(named(({ notModifiedTag }) => notModifiedTag)).toEqual(["process", "statistics"]);
  expect(named(({ etag }) => !etag)).toEqual(["modules", "observations", "onchain", "activity"]);
  expect(named(({ cacheControl }) => cacheControl === "no-store")).toEqual(["onchain", "activity"]);
  expect(named(({ staleIfErrorSeconds }) => staleIfErrorSeconds > 0)).toEqual([
    "telemetry",
    "installation-telemetry",
    "modules",
    "observations",
  ]);
  expect(named(({ query }) => query === "ignored")).toEqual(["telemetry", "installation-telemetry", "modules"]);
});

test("an exact query matches in any order and any encoding, and nothing else does", () => {
  const exact = TABLE.filter(({ query }) => query === "exact").flatMap((route) =>
    route.objects.map((object) => ({ route, object })),
  );
  const encode = (text: string, every: boolean) =>
    every ? [...text].map((unit) => `%${unit.charCodeAt(0).toString(16)}`).join("") : text;
  fc.assert(
    fc.property(fc.constantFrom(...exact), fc.boolean(), fc.boolean(), ({ route, object }, turned, every) => {
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
