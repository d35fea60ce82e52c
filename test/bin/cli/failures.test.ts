import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { FAILURES, hintOf, knownHint } from "../../../bin/cli/failures.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";

test("a failure has the hint of its throw, else the cure of its code", () => {
  expect(hintOf(new Failure("ledger_forked", "no", { hint: "Do this." }))).toBe("Do this.");
  expect(hintOf(new Failure("ledger_forked", "no"))).toMatch(/with a key of another name\.$/);
});

test("an error of the store has a hint if its cause is known, and any other error has none", () => {
  expect(knownHint(new StoreUnavailable("put: no", { hint: "Do this." }))).toBe("Do this.");
  expect(knownHint(new StoreUnavailable("put: no"))).toBeUndefined();
  expect(knownHint(new Error("no"))).toBeUndefined();
});

test("the page of each hint is named by its path, which exists on this machine", () => {
  const hints = Object.keys(FAILURES).map((code) => hintOf(new Failure(code, "it failed")));
  const paths = hints.flatMap((hint) => hint.match(/[^\s(]*docs\/[^\s:,]+\.md/g) ?? []);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !isAbsolute(path) || !existsSync(path))).toEqual([]);
  expect(hints.filter((hint) => hint.includes(".md#"))).toEqual([]);
});
