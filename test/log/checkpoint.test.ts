// The text of a checkpoint, as tlog-checkpoint requires it.
import { expect, test } from "vitest";
import { checkpointText, parseCheckpoint } from "../../src/log/checkpoint.ts";

const ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
/** The example of the specification. */
const EXAMPLE = `example.com/behind-the-sofa\n20852163\n${ROOT}\n`;
const PARSED = { origin: "example.com/behind-the-sofa", size: 20_852_163, root: ROOT };
const EMPTY_ROOT = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

test("the example of the specification", () => {
  expect(parseCheckpoint(EXAMPLE)).toEqual(PARSED);
  expect(checkpointText(PARSED)).toBe(EXAMPLE);
});

test.each([
  ["the largest size", `o\n${Number.MAX_SAFE_INTEGER}\n${ROOT}\n`, Number.MAX_SAFE_INTEGER],
  ["an empty log", `o\n0\n${EMPTY_ROOT}\n`, 0],
  ["an origin with spaces and plus, which other logs may have", `a b+c\n1\n${ROOT}\n`, 1],
  ["lines after the third, which are ignored", `o\n2\n${ROOT}\nextension\nanother one\n`, 2],
])("%s is accepted", (_, text, size) => {
  expect(parseCheckpoint(text)).toMatchObject({ size });
});

test.each([
  ["nothing", ""],
  ["two lines", "o\n1\n"],
  ["no newline at the end", `o\n1\n${ROOT}`],
  ["no origin", `\n1\n${ROOT}\n`],
  ["a control character", `o\t\n1\n${ROOT}\n`],
  ["a carriage return", `o\r\n1\r\n${ROOT}\r\n`],
  ["half a character", `\ud800\n1\n${ROOT}\n`],
  ["a leading zero", `o\n01\n${ROOT}\n`],
  ["a sign", `o\n+1\n${ROOT}\n`],
  ["an exponent", `o\n1e3\n${ROOT}\n`],
  ["no size", `o\n\n${ROOT}\n`],
  ["a size above 2^53", `o\n9007199254740992\n${ROOT}\n`],
  ["a size of a thousand digits", `o\n${"9".repeat(1_000)}\n${ROOT}\n`],
  ["a hash of 31 bytes", `o\n1\n${Buffer.alloc(31).toString("base64")}\n`],
  ["a hash of 33 bytes", `o\n1\n${Buffer.alloc(33).toString("base64")}\n`],
  ["base64 without padding", `o\n1\n${ROOT.slice(0, -1)}\n`],
  ["base64 with bits that no byte uses", `o\n1\n${ROOT.slice(0, -2)}J=\n`],
  ["base64 for URLs", `o\n1\n${ROOT.replace("/", "_")}\n`],
  ["a space after the root", `o\n1\n${ROOT} \n`],
  ["an empty line", `o\n1\n${ROOT}\n\nextension\n`],
  ["an empty log with a root of entries", `o\n0\n${ROOT}\n`],
])("a checkpoint with %s is refused", (_, text) => {
  expect(() => parseCheckpoint(text)).toThrow(expect.objectContaining({ code: "log_malformed" }));
});

test.each([
  ["another line in its origin", { ...PARSED, origin: "a\n5" }],
  ["a negative size", { ...PARSED, size: -1 }],
  ["a root that is no hash", { ...PARSED, root: "x" }],
])("a checkpoint with %s is not written", (_, checkpoint) => {
  expect(() => checkpointText(checkpoint)).toThrow(expect.objectContaining({ code: "log_malformed" }));
});

test("a message escapes what a terminal would interpret", () => {
  expect(() => parseCheckpoint(`o\n\u202e1\n${ROOT}\n`)).toThrow(/^[ -~]+$/);
});
