import { expect, test } from "vitest";
import { etagOf } from "../../../src/http/representation.ts";
import { AT, build, buildWithoutLedger, CASES, CORE } from "./scenarios.ts";

const pretty = (body: string) => `${JSON.stringify(JSON.parse(body), null, 2)}\n`;

test.each(Object.keys(CASES))("the process body %s equals its golden body", async (name) => {
  const built = build(CASES[name] as (typeof CASES)[string]);
  await expect(pretty(built.body)).toMatchFileSnapshot(`golden/${name}.json`);
  const { revision } = JSON.parse(built.body) as { revision: string };
  expect(built).toMatchObject({
    status: 200,
    headers: { etag: etagOf(revision), "cache-control": "public, max-age=0, must-revalidate" },
    fingerprintText: revision,
  });
});

test("process without a ledger, with or without a chain, equals its golden body", async () => {
  await expect(pretty(buildWithoutLedger(CORE).body)).toMatchFileSnapshot("golden/no-ledger.json");
  await expect(pretty(buildWithoutLedger(undefined).body)).toMatchFileSnapshot("golden/nothing.json");
  expect(buildWithoutLedger(CORE).nextChangeAt).toBeUndefined();
});

test("the revision stays while only generatedAt changes, and changes with every state", () => {
  const { ready } = CASES;
  if (ready === undefined) throw new Error("the case is there");
  expect(build(ready, 1_000).headers).toEqual(build(ready).headers);
  expect(build(ready, 1_000).body).not.toEqual(build(ready).body);
  const revisions = Object.values(CASES).map((it) => build(it).fingerprintText);
  expect(new Set(revisions).size).toBe(revisions.length);
  expect(AT).toBe(Date.parse("2026-11-20T11:41:40.000Z"));
});
