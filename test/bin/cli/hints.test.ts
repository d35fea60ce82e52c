import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { FAILURES } from "../../../bin/cli/failures.ts";
import { hintOf, knownHint } from "../../../bin/cli/hints.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";

const BEHIND = { is: "ledger_regression", isShort: true } as const;

test.each([
  ["of its code", {}, / \(section backup-and-restore\) has the steps\.$/],
  ["of its case, before that of its code", { facts: BEHIND }, /with a key of another name\.$/],
  ["from the throw, before all others", { facts: BEHIND, hint: "Do this." }, /^Do this\.$/],
])("a failure has the hint %s", (_, options, hint) => {
  expect(hintOf(new Failure("ledger_behind", "the log is behind", options))).toMatch(hint);
});

test("an error of the store has a hint if its cause is known, and any other error has none", () => {
  expect(knownHint(new StoreUnavailable("put: no", { facts: { is: "store_location" } }))).toContain(
    "--store DIRECTORY",
  );
  expect(knownHint(new StoreUnavailable("put: no"))).toBeUndefined();
  expect(knownHint(new Error("no"))).toBeUndefined();
});

test("the page of each hint is named by its path, which exists on this machine", () => {
  const hints = Object.keys(FAILURES).map((code) => hintOf(new Failure(code as keyof typeof FAILURES, "it failed")));
  const paths = hints.flatMap((hint) => hint.match(/\S*docs\/[^\s:,]+\.md/g) ?? []);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !isAbsolute(path) || !existsSync(path))).toEqual([]);
  expect(hints.filter((hint) => hint.includes(".md#"))).toEqual([]);
});
