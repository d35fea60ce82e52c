import { expect, test } from "vitest";
import * as z from "zod";
import { schemaVersionOf, targetOf } from "../../src/client/ask.ts";
import { amount, createClient, units } from "../../src/client/create-client.ts";
import { ENDPOINTS } from "../../src/client/generated/endpoints.ts";
import { OPERATIONS } from "../../src/resources/contracts.ts";
import { clientUnderTest, failure } from "./support/client-under-test.ts";

test("a body has the version that its schema says", () => {
  const stated = OPERATIONS.flatMap(({ contract: { operation, body } }) => {
    const version = body && /"schemaVersion":\{[^}]*"const":(\d+)/.exec(JSON.stringify(z.toJSONSchema(body.schema)));
    return operation in ENDPOINTS ? [[operation, Number(version?.[1])]] : [];
  });
  const versions = Object.entries(ENDPOINTS).map(([name, endpoint]) => [name, schemaVersionOf(endpoint)]);
  expect(Object.fromEntries(versions)).toEqual(Object.fromEntries(stated));
});

test.each([
  [targetOf("process", {}), "/v4/public/process"],
  [targetOf("statistics", { range: "7d" }), "/v2/public/stats?range=7d"],
  [targetOf("settlements", { queue: true }), "/v4/public/settlements?range=now&queue=1"],
  [targetOf("settlements", { queue: true, range: "now" }), "/v4/public/settlements?range=now&queue=1"],
  [
    targetOf("observations", { id: "a:b.c_D-1", cursor: undefined, limit: 5 }),
    "/v1/public/installations/a:b.c_D-1/observations?limit=5",
  ],
  [targetOf("activity", { category: "all", cursor: "a&b=c" }), "/v1/public/activity?category=all&cursor=a%26b%3Dc"],
])("a target: %s", (target, expected) => expect(target).toBe(expected));

test.each([".", "..", "", "a/b", "a b", "ä", "%2e%2e", "x".repeat(129), undefined, 7, "a\n"])(
  "an id that a path cannot carry or a server rejects is rejected before anything is sent: %j",
  async (id) => {
    let requests = 0;
    const { api } = clientUnderTest({
      fetch: async () => {
        requests++;
        return Response.error();
      },
    });
    const refused = { code: "invalid_installation_id", status: null, retryAfter: null };
    expect(await failure(api.installationTelemetry(id as string))).toEqual(refused);
    expect(await failure(api.observations(id as string))).toEqual(refused);
    expect(await failure(api.eachObservation(id as string).next())).toEqual(refused);
    expect(await failure(api.watch("installationTelemetry", { id: id as string }).next())).toEqual(refused);
    expect(requests).toBe(0);
  },
);

test.each([
  "https://api.example?x=1",
  "https://api.example/?",
  "https://api.example/a#b",
  "https://me:secret@api.example",
  "ftp://api.example",
  "data:text/plain,x",
  "/relative",
  "",
])("createClient rejects %s", (baseUrl) => expect(() => createClient({ baseUrl })).toThrow(TypeError));

test.each([{ timeout: 0 }, { timeout: Number.NaN }, { retries: -1 }, { retries: Number.NaN }])(
  "createClient rejects %j",
  (odd) => expect(() => createClient({ baseUrl: "https://api.example", ...odd })).toThrow(TypeError),
);

test.each([
  ["0", 18, "0"],
  ["1", 18, "0.000000000000000001"],
  ["1500000000000000000", 18, "1.5"],
  ["1000000000000000000", 18, "1"],
  ["1000", 0, "1000"],
  ["123456", 3, "123.456"],
  ["100", 2, "1"],
  [`${2n ** 256n - 1n}`, 18, "115792089237316195423570985008687907853269984665640564039457.584007913129639935"],
])("amount(%s, %i) is %s", (text, decimals, expected) => expect(amount(text, decimals)).toBe(expected));

test.each(["", "01", "-1", "+1", "1.5", "1e3", "0x10", " 1", "1\n", "١", undefined, null, 1, 1n])(
  "%o is not a decimal string",
  (text) => {
    expect(() => units(text as string)).toThrow(TypeError);
    expect(() => amount(text as string, 2)).toThrow(TypeError);
  },
);
