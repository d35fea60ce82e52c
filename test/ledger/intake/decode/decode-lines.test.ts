import fc from "fast-check";
import { expect, test } from "vitest";
import { Intake } from "../../../../src/ledger/intake/intake.ts";
import { type Rejection, rejectionJson, rejectionSentences } from "../../../../src/ledger/intake/rejection.ts";
import { ingest } from "../../ingest.ts";
import { contents, emptyLedger, epoch, module, receipt, round, verdict } from "../../samples.ts";

const LINE_MAX = 1024 * 1024;

test("a line ends with LF or CR LF, the last one may lack it, and empty lines are skipped and counted", () => {
  const lines = [receipt(1), receipt(2), receipt(3)].map((record) => JSON.stringify(record));
  const db = emptyLedger();
  expect(ingest(db, `\n${lines[0]}\r\n\r\n\n${lines[1]}\n${lines[2]}`)).toMatchObject({ accepted: 3, rejected: 0 });
  expect(ingest(db, "\n\r\n\nnull").rejections[0]?.line).toBe(4);
  expect(ingest(db, "")).toEqual({ accepted: 0, duplicate: 0, rejected: 0, rejections: [] });
  expect(ingest(db, `${lines[2]}\r`)).toMatchObject({ duplicate: 1 });
});

test.each([
  ["a byte order mark", `\ufeff${JSON.stringify(round(1))}`],
  ["a lone high surrogate in a value", '{"type":"epoch","a":"\\ud800"}'],
  ["a lone low surrogate in a value", '{"type":"epoch","a":"\\uDC00"}'],
  ["a lone surrogate in a key", '{"type":"epoch","\\ud83d":1}'],
  ["a lone surrogate that a later key hides", '{"type":"\\ud800","type":"epoch"}'],
  ["a high surrogate before a character", '{"type":"epoch","a":"\\ud83dx"}'],
  ["a high surrogate before another escape", '{"type":"epoch","a":"\\ud83d\\n\\ude00"}'],
  ["two high surrogates before a low one", '{"type":"epoch","a":"\\ud83d\\ud83d\\ude00"}'],
  ["a surrogate pair in the wrong order", '{"type":"epoch","a":"\\ude00\\ud83d"}'],
  ["a lone surrogate deep in a free part", JSON.stringify(module({ data: { a: [{ b: "\ud800" }] } }))],
  ["no JSON", "receipt"],
  ["a truncated object", '{"type":"receipt"'],
  ["two objects", "{}{}"],
  ["an array", `[${JSON.stringify(round(1))}]`],
  ["a string", '"receipt"'],
  ["a number", "1"],
  ["null", "null"],
  ["a space", " "],
  ["NUL", "\0"],
  ["a trailing comma", '{"type":"receipt",}'],
  ["a control character in a string", '{"type":"rec\teipt"}'],
  ["a line of [, a mebibyte long", "[".repeat(LINE_MAX)],
])("malformed_json: %s", (_, line) => {
  expect(verdict(emptyLedger(), line)).toBe("malformed_json -");
});

test.each([
  ["a lone continuation byte", [0x80]],
  ["a surrogate as three bytes", [0xed, 0xa0, 0x80]],
  ["an overlong slash", [0xc0, 0xaf]],
  ["a truncated sequence", [0xe2, 0x82]],
  ["a byte that is never UTF-8", [0xff]],
])("malformed_json: bytes that are not UTF-8: %s", (_, bytes) => {
  const line = Buffer.concat([Buffer.from('{"type":"'), Buffer.from(bytes), Buffer.from('"}')]);
  const { rejections } = ingest(emptyLedger(), line);
  expect(rejections[0]?.fault.code).toBe("malformed_json");
  expect(rejections[0]?.raw).toMatch(/^\{"type":"\ufffd+"\}$/);
});

test("__proto__ and similar names are ordinary fields", () => {
  const line = JSON.stringify(epoch());
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    expect(verdict(emptyLedger(), line.replace("{", `{"${key}":{"type":"epoch"},`))).toBe(`unknown_field ${key}`);
    expect(verdict(emptyLedger(), `{"type":"${key}"}`)).toBe("unknown_type type");
    expect(verdict(emptyLedger(), `{"${key}":${line}}`)).toBe("unknown_type type");
  }
  const db = emptyLedger();
  const withProto = JSON.stringify(module()).replace('"data":{}', '"data":{"__proto__":{"a":1}}');
  expect([verdict(db, withProto), verdict(db, withProto)]).toEqual(["accepted", "duplicate"]);
});

test("a line may have at most 1 MiB without its end", () => {
  const empty = JSON.stringify(module({ data: { a: "" } }));
  const full = empty.replace(
    '"a":""',
    `"a":"${"é".repeat((LINE_MAX - empty.length) / 2 - 1)}${"x".repeat(2 + ((LINE_MAX - empty.length) % 2))}"`,
  );
  expect(Buffer.byteLength(full)).toBe(LINE_MAX);
  for (const end of ["", "\n", "\r\n"]) expect(verdict(emptyLedger(), full + end)).toBe("accepted");
  for (const end of ["", "\n", "\r\n"]) expect(verdict(emptyLedger(), `${full} ${end}`)).toBe("malformed_json -");
});

test("only the start of a line of any length is kept in memory, and the next line is read", () => {
  const db = emptyLedger();
  const rejections: Rejection[] = [];
  const intake = new Intake(db, { onRejected: (batch) => rejections.push(...batch) });
  intake.write(Buffer.from('{"a":"'));
  const mebibyte = Buffer.alloc(1024 * 1024, "x");
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 64; i++) intake.write(mebibyte);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * mebibyte.length);
  intake.write(Buffer.from(`"}\n${JSON.stringify(round(1))}\n`));
  expect(intake.end()).toEqual({ accepted: 1, duplicate: 0, rejected: 1 });
  expect(rejections[0]?.raw).toBe(`{"a":"${"x".repeat(64 * 1024 - 6)}`);
});

test("raw is cut at 64 KiB of UTF-8 between characters, and a shorter line is kept whole", () => {
  const raw = (line: string | Buffer) => ingest(emptyLedger(), line).rejections[0]?.raw ?? "";
  expect(raw('["\\u0000\\"é😀"]  ')).toBe('["\\u0000\\"é😀"]  ');
  expect(raw("é".repeat(65_536))).toBe("é".repeat(32_768));
  expect(raw(`a${"😀".repeat(65_536)}`)).toBe(`a${"😀".repeat(16_383)}`);
  expect(raw("x".repeat(65_536))).toHaveLength(65_536);
  expect(raw("x".repeat(65_537))).toHaveLength(65_536);
  expect(raw(Buffer.alloc(65_536, 0xff))).toBe("\ufffd".repeat(21_845));
  expect(raw("\ufeff{}")).toBe("\ufeff{}");
});

test("half a million nesting levels in a free part are accepted", () => {
  const deep = (inner: string) =>
    JSON.stringify(module()).replace('"data":{}', `"data":{"a":${"[".repeat(500_000)}${inner}${"]".repeat(500_000)}}`);
  const db = emptyLedger();
  expect(verdict(db, deep("1"))).toBe("accepted");
  expect(verdict(db, deep("2"))).toBe("duplicate");
});

test("a rejection is printed in the documented format, and no input character controls a terminal", () => {
  const { rejections } = ingest(emptyLedger(), `\n{"type":"round","\\u001b[2J\\n\\u202e":1}\n[]`);
  const [first, second] = rejections as [Rejection, Rejection];
  expect(rejectionSentences(first)[0]).toBe("line 2: unknown_field \\u001b[2J\\u000a\\u202e: round has no such field");
  expect(rejectionSentences(second)).toEqual(["line 3: malformed_json -: the line is not one JSON object"]);
  expect(JSON.parse(rejectionJson(first)).field).toBe("\u001b[2J\n\u202e");
  expect(rejectionJson(second)).toBe('{"line":3,"code":"malformed_json","field":null,"raw":"[]"}');
});

test("any division of the bytes into chunks gives the same ledger, counts and rejections", () => {
  const alphabet = fc.oneof(
    fc.integer({ min: 1, max: 6 }).map((n) => Buffer.from(JSON.stringify(receipt(n)))),
    fc.integer({ min: 1, max: 4 }).map((n) => Buffer.from(JSON.stringify(module({ driverId: "é😀".repeat(n) })))),
    fc.constantFrom("", "{}", "[", "\r", "\ufeff{}").map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  );
  const ends = fc.constantFrom("\n", "\r\n").map((end) => Buffer.from(end));
  const input = fc.array(fc.tuple(alphabet, ends), { maxLength: 12 }).map((lines) => Buffer.concat(lines.flat()));
  fc.assert(
    fc.property(input, fc.array(fc.nat(3000), { maxLength: 20 }), fc.boolean(), (bytes, cuts, flush) => {
      const whole = emptyLedger();
      const expected = ingest(whole, bytes);
      const db = emptyLedger();
      const rejections: Rejection[] = [];
      const intake = new Intake(db, { onRejected: (batch) => rejections.push(...batch) });
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      for (const [index, place] of places.entries()) {
        intake.write(Uint8Array.from(bytes.subarray(place, places[index + 1])));
        if (flush) intake.flush();
      }
      expect({ ...intake.end(), rejections }).toEqual(expected);
      expect(contents(db)).toEqual(contents(whole));
    }),
  );
});
