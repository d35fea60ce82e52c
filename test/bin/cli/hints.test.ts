import { expect, test } from "vitest";
import { hintOf, knownHint } from "../../../bin/cli/hints.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";

const BEHIND = { is: "ledger_regression", isShort: true } as const;

test.each([
  ["of its code", {}, /backup-and-restore has the steps\.$/],
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
