import * as fc from "fast-check";
import { expect, test } from "vitest";
import { constantKey, HEAD_KEY, INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { activityKey, activityTileKey, CATEGORIES } from "../../src/resources/activity/route.ts";
import { matchKey, matchObject, matchPath } from "../../src/resources/find.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { ONCHAIN_KEY } from "../../src/resources/onchain/route.ts";
import { FILES, ROUTES } from "../../src/resources/table.ts";
import { installationTelemetryKey, UNKNOWN_TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";

test("every route's path leads to its row", () => {
  for (const route of ROUTES) {
    const match = matchPath(route.path.replace("{installationId}", "wheel-1"));
    expect(match?.row).toBe(route);
    expect(match?.installationId).toBe(route.path.includes("{installationId}") ? "wheel-1" : undefined);
  }
});

const NAMES: Readonly<Record<string, string>> = {
  "{asset}": "style-0123456789ab.css",
  "{logTile}": "tile/0/x001/067",
  "{logEnd}": "tile/0/x001/067.p/255",
};

test("every file's path leads to its row, and the keys of files belong to no route", () => {
  for (const file of FILES) {
    expect(matchPath(file.path.replaceAll(/\{\w+\}/g, (name) => NAMES[name] ?? ""))?.row).toBe(file);
    for (const { key } of file.objects) expect([key, matchKey(key)]).toEqual([`site/${key.slice(5)}`, file]);
  }
  expect(matchKey("site/assets/style-0123456789ab.css")?.name).toBe("asset");
  expect(matchKey("log/tile/entries/000")?.name).toBe("log-tile");
  expect(matchKey("log/tile/entries/000.p/7")?.name).toBe("log-end");
  expect(matchKey("private/log/tile/entries/000")).toBeUndefined();
  expect(matchKey(HEAD_KEY)?.name).toBe("publication-status");
});

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

test("a reader's object key maps to its route, and the publisher's internal keys map to none", () => {
  const names = (...keys: string[]) => keys.map((key) => matchKey(key)?.name);
  for (const route of ROUTES) for (const { key } of route.objects) expect(names(key)).toEqual([route.name]);
  expect(names(installationTelemetryKey("a.b"), UNKNOWN_TELEMETRY_KEY, INSTALLATIONS_KEY)).toEqual([
    "installation-telemetry",
    "installation-telemetry",
    "installation-telemetry",
  ]);
  expect(names(observationTileKey("..", 7))).toEqual(["observations"]);
  for (const category of CATEGORIES) {
    const key = activityKey(category);
    expect(names(key, constantKey(key), activityTileKey(category, "h-1-a"))).toEqual(Array(3).fill("activity"));
  }
  expect(names(constantKey(ONCHAIN_KEY))).toEqual(["onchain"]);
  expect(names("standby.json", "v1/public/telemetryx", "v1/public/modules/x")).toEqual(Array(3).fill(undefined));
});
