import { expect, test } from "vitest";
import { isStreamAddress, parseStreamAddress } from "../../src/sources/stream/stream-address.ts";

const parse = (text: string, subject?: string) => parseStreamAddress(text, subject);
const codeOf = (text: string, subject?: string) => {
  try {
    return parse(text, subject);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test("an address names one or more servers, and a stream", () => {
  expect(parse("nats://127.0.0.1:4223/FACTS")).toEqual({
    servers: [{ host: "127.0.0.1", port: 4223 }],
    isTls: false,
    stream: "FACTS",
    subject: null,
  });
  expect(parse("tls://nats-1.example.com,[::1]:4333,nats-3/facts_1", "facts.*.>")).toEqual({
    servers: [
      { host: "nats-1.example.com", port: 4222 },
      { host: "::1", port: 4333 },
      { host: "nats-3", port: 4222 },
    ],
    isTls: true,
    stream: "facts_1",
    subject: "facts.*.>",
  });
});

test.each([
  ["nats://127.0.0.1:4222"],
  ["nats://127.0.0.1:4222/"],
  ["nats://127.0.0.1:4222/a.b"],
  ["nats://127.0.0.1:4222/a/b"],
  ["nats://127.0.0.1:65536/FACTS"],
  ["nats://a,,b/FACTS"],
  ["nats:///FACTS"],
  ["nats://user:secret@127.0.0.1/FACTS"],
  ["nats://a/FACTS", "facts."],
  ["nats://a/FACTS", "facts.>.a"],
  ["nats://a/FACTS", "facts a"],
  ["nats://a/FACTS", ""],
])("%s with the subject %s is refused", (text, subject?: string) => {
  expect(isStreamAddress(text)).toBe(true);
  expect(codeOf(text, subject)).toBe("invalid_setting");
});

test("a path is no address", () => {
  expect(["facts.ndjson", "./nats:", "spool", "http://a/b"].filter(isStreamAddress)).toEqual([]);
});
