/**
 * Objects of another program or version replace ours. Readers get 503 or a response that is still true. They never get
 * 500, and never a response that no publisher put.
 */
import { beforeAll, expect, test } from "vitest";
import { HEAD_KEY } from "../../src/http/keys.ts";
import type { StoredObject } from "../../src/object-store/object-store.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { ROWS } from "../../src/resources/table.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putWorld, worldHead } from "../support/world.ts";

const AT = Date.parse("2026-11-20T10:00:00.000Z");
/** JSON of every kind except the field's, and text that is not JSON. */
const FOREIGN = ["{}", "[]", "null", "5", '"x"', "[null]", "[{}]", '{"from":1}', '[{"from":"now"}]', "{", "true"];
const FOREIGN_BODIES = [...FOREIGN, "x\n{}\ny", 'x\n{"tiles":[5],"indexes":[{}]}'];
const BAD_SUCCESSORS = [
  '[{"from":1,"edits":{}}]',
  '[{"from":1,"edits":[{"offset":-1,"length":0,"text":"x"}]}]',
  '[{"from":1,"edits":[{"offset":0,"length":1000000,"text":"x"}]}]',
  '[{"from":1,"edits":[{"offset":5,"length":2,"text":""},{"offset":3,"length":1,"text":""}]}]',
  '[{"from":1,"headers":{"etag":5}}]',
  '[{"from":1,"key":5}]',
];

const URLS = ROWS.flatMap(({ path, objects }) => {
  const queries = objects.length === 0 ? [""] : objects.map(({ query }) => query);
  const requested = path
    .replace("{installationId}", "wheel-2")
    .replace("{asset}", "app-0123456789abcdef.js")
    .replace("{logTile}", "tile/0/000")
    .replace("{logEnd}", "checkpoint");
  return queries.map((query) => (query === "" ? requested : `${requested}?${query}`));
});

type Change = (object: StoredObject) => Partial<StoredObject>;

const store = new MemoryStore();
beforeAll(() => putWorld(store, AT));

async function statuses(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const url of URLS) {
    const context = shimContext({ store, now: () => AT, monotonic: () => 0 });
    const requested = async () => respond({ method: "GET", url }, context);
    const status = await requested().then(
      (answered) => answered.status,
      () => 500,
    );
    found.set(url, status);
  }
  return found;
}

/** The status of each URL while this object is changed. */
async function statusesWith(key: string, change: Change): Promise<Map<string, number>> {
  const object = await store.get(key);
  if (object === undefined) throw new Error(`${key} is not there`);
  await store.put(key, { ...object, ...change(object) });
  const found = await statuses();
  await store.put(key, object);
  return found;
}

async function failing(key: string, change: Change): Promise<string[]> {
  return [...(await statusesWith(key, change))]
    .filter(([, status]) => ![200, 404, 503].includes(status))
    .map(([url, status]) => `${status} ${url}`);
}

test("foreign successors are a damaged object, not a response and not a crash", async () => {
  for (const successors of [...FOREIGN.filter((text) => text !== "[]"), ...BAD_SUCCESSORS]) {
    const found = await statusesWith(PROCESS_KEY, ({ metadata }) => ({ metadata: { ...metadata, successors } }));
    expect.soft(found.get("/v4/public/process"), successors).toBe(503);
  }
});

test("no metadata or body of any object causes a 500", async () => {
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  const problems: string[] = [];
  for (const key of keys) {
    const names = Object.keys((await store.get(key))?.metadata ?? {});
    for (const foreign of FOREIGN) {
      for (const name of names) {
        const found = await failing(key, ({ metadata }) => ({ metadata: { ...metadata, [name]: foreign } }));
        problems.push(...found.map((problem) => `${key} ${name}=${foreign}: ${problem}`));
      }
    }
    for (const foreign of FOREIGN_BODIES) {
      const found = await failing(key, () => ({ body: new TextEncoder().encode(foreign) }));
      problems.push(...found.map((problem) => `${key} body=${foreign}: ${problem}`));
    }
  }
  expect(problems).toEqual([]);
});

test("a head with a part of another form causes no 500", async () => {
  const head = worldHead(AT);
  const problems: string[] = [];
  for (const [name, value] of Object.entries(head)) {
    const parts = typeof value === "object" && value !== null ? Object.keys(value) : [];
    for (const foreign of FOREIGN.filter((text) => text !== "{")) {
      const other: unknown = JSON.parse(foreign);
      const changed = [other, ...parts.map((part) => ({ ...(value as object), [part]: other }))];
      for (const part of changed) {
        const body = new TextEncoder().encode(JSON.stringify({ ...head, [name]: part }));
        const found = await failing(HEAD_KEY, () => ({ body }));
        problems.push(...found.map((problem) => `${name}=${JSON.stringify(part)}: ${problem}`));
      }
    }
  }
  expect(problems).toEqual([]);
});
