/** Walks over servers that grow, repeat themselves, or return no page. */
import { expect, test } from "vitest";
import { clientUnderTest, collect, failure } from "./support/client-under-test.ts";
import { json, misbehavingServer } from "./support/misbehaving-server.ts";

const page = (items: unknown, nextCursor: unknown) => ({ schemaVersion: 1, installationId: "w", items, nextCursor });
const observation = (sequence: number) => ({ cursor: `c${sequence}`, sequence });
const invalid = { code: "invalid_response", status: 200, retryAfter: null };

test("a walk includes items that arrive during it, each once", async () => {
  let stored = 5;
  const server = await misbehavingServer((request, response) => {
    const after = Number(new URL(request.url ?? "", "http://h").searchParams.get("cursor")?.slice(1) ?? 0);
    const rest = Array.from({ length: stored - after }, (_, index) => observation(after + index + 1));
    const items = rest.slice(0, 2);
    json(response, page(items, rest.length > 2 ? items.at(-1)?.cursor : null));
    if (stored < 9) stored++;
  });
  const { api } = clientUnderTest(server);
  const sequences = (await collect(api.eachObservation("w", { limit: 2 }))).map(({ sequence }) => sequence);
  expect(sequences).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(server.requests.map(({ url }) => url)[1]).toBe("/v1/public/installations/w/observations?cursor=c2&limit=2");
});

test.each([
  ["the first cursor again", (number: number) => (number === 1 ? "a" : "a"), 2],
  ["a cycle of three", (number: number) => ["a", "b", "c"][(number - 1) % 3], 4],
  ["the walk's initial cursor", () => "begin", 1],
])("a cursor that repeats ends the walk: %s", async (_, cursorOf, requests) => {
  const server = await misbehavingServer((_, response, number) =>
    json(response, page([observation(number)], cursorOf(number))),
  );
  const { api } = clientUnderTest(server);
  expect(await failure(collect(api.eachObservation("w", { after: "begin" })))).toEqual(invalid);
  expect(server.requests.length).toBe(requests);
});

test.each([
  page(undefined, null),
  page({}, null),
  page("ab", null),
  page([], undefined),
  page([], 7),
  { schemaVersion: 1, status: "available" },
])("a response without a valid page ends the walk: %j", async (body) => {
  const server = await misbehavingServer((_, response) => json(response, body));
  const { api } = clientUnderTest(server);
  expect(await failure(collect(api.eachObservation("w")))).toEqual(invalid);
});

test("a walk continues after a transient page error, and ends with the error of a page that keeps failing", async () => {
  const server = await misbehavingServer((_, response, number) => {
    if (number === 2) return json(response, {}, {}, 503);
    if (number >= 4) return json(response, { error: "invalid_cursor" }, {}, 400);
    return json(response, page([observation(number)], `c${number}`));
  });
  const { api } = clientUnderTest(server);
  const seen: number[] = [];
  const walking = async () => {
    for await (const { sequence } of api.eachObservation("w")) seen.push(sequence);
  };
  expect(await failure(walking())).toEqual({ code: "invalid_cursor", status: 400, retryAfter: null });
  expect(seen).toEqual([1, 3]);
});

test.each([
  ["indexer_unavailable", "indexer_unavailable"],
  ["source_disabled", "source_disabled"],
  ["aborted", "invalid_response"],
  ["toString", "invalid_response"],
])("if activity becomes unavailable during a walk with the reason %s, the walk ends with %s", async (reason, code) => {
  const server = await misbehavingServer((_, response, number) =>
    json(
      response,
      number === 1
        ? { schemaVersion: 1, status: "available", events: [{ id: "e1" }], nextCursor: "c1" }
        : { schemaVersion: 1, status: "unavailable", reason },
    ),
  );
  const { api } = clientUnderTest(server);
  const walking = api.eachActivity({ category: "all" });
  expect((await walking.next()).value).toEqual({ id: "e1" });
  expect(await failure(walking.next())).toEqual({ code, status: 200, retryAfter: null });
});
