// A response's size is judged by its bytes before it is parsed.
import fc from "fast-check";
import { expect, test } from "vitest";
import { implausibility } from "../../../src/chain/rpc/post-json.ts";

const judge = (text: string, calls = 1) => implausibility(Buffer.from(text), calls);

test.each([
  ["31 MB of empty objects", `[${"{},".repeat(10_000_000)}{}]`, "the response has more members than calls (1)"],
  [
    "empty objects within one result",
    `{"result":[${"{},".repeat(600)}{}]}`,
    /^the response has more than 1\d{3} values in 1815 bytes$/,
  ],
  ["lists in lists", "[".repeat(10_000), /^the response has more than \d+ values in 10000 bytes$/],
  [
    "a string that hides more members behind a quote",
    `[{"a":"\\""},{}]`,
    "the response has more members than calls (1)",
  ],
])("%s", (_, text, says) => {
  expect(judge(text)).toEqual(typeof says === "string" ? says : expect.stringMatching(says));
});

test.each([
  ["as many members as calls", `[{"id":0,"result":"0x"},{"id":1,"result":"0x"}]`, 2],
  ["fewer members than calls", `[{"id":0,"result":"0x"}]`, 2],
  ["commas, braces and quotes in a string", `[{"id":0,"error":{"message":"a, \\",{[ b ${",".repeat(5_000)}"}}]`, 1],
  [
    "a block of a thousand transactions",
    JSON.stringify({ id: 0, result: { transactions: Array(1_000).fill(`0x${"a".repeat(64)}`) } }),
    1,
  ],
  ["no JSON", "<html>", 1],
  ["nothing", "", 1],
])("accepted: %s", (_, text, calls) => {
  expect(judge(text, calls)).toBeUndefined();
});

test("members are counted like a JSON parser counts them", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 8 }), fc.nat(10), (members, calls) => {
      const says = judge(JSON.stringify(members), calls);
      expect(says === undefined).toBe(members.length <= Math.max(1, calls));
    }),
  );
});
