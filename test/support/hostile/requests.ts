/** Hostile requests drawn from a seed: valid but unusual requests, and bytes that are not valid HTTP. */
import * as fc from "fast-check";
import { type OddRequest, oddRequest } from "../scripts/odd-requests.ts";

/** A request to send as raw bytes on a separate connection. */
export interface Malformed {
  /** The method, if the first line has one; otherwise "". */
  readonly method: string;
  readonly bytes: string;
}

export interface Batch {
  readonly odd: readonly OddRequest[];
  readonly malformed: readonly Malformed[];
}

/** One in this many requests is malformed. */
const REQUESTS_PER_MALFORMED = 8;

const PIECES = [
  "\0",
  "\r",
  "\n",
  "\r\n",
  "\r\n ",
  " ",
  "\t",
  ":",
  "\x7f",
  "\xff",
  "%",
  "HTTP/1.1",
  "Host: y\r\n",
  "x".repeat(400),
];
const HEADS = [
  "Expect: 200-ok\r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 1\r\nContent-Length: 2\r\n",
  "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip\r\n",
  "Host: a/b\r\n",
  "Connection: Host\r\n",
  "Upgrade: h2c\r\nConnection: Upgrade\r\n",
  "a\r\n",
  ": b\r\n",
  "a b: c\r\n",
  `${"a: b\r\n".repeat(120)}`,
  `a: ${"b".repeat(17_000)}\r\n`,
];

interface Change {
  /** Position in the text, from 0 to 1. */
  readonly at: number;
  readonly kind: "insert" | "remove" | "twice" | "field";
  readonly piece: string;
  readonly head: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  kind: fc.constantFrom("insert", "remove", "twice", "field"),
  piece: fc.constantFrom(...PIECES),
  head: fc.constantFrom(...HEADS),
});

const malformed: fc.Arbitrary<Malformed> = fc
  .tuple(
    oddRequest,
    fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1", ""),
    fc.array(change, { minLength: 1, maxLength: 3 }),
  )
  .map(([{ method, target, headers }, version, changes]) => {
    const fields = [["Host", "front.example"], ...headers, ["Connection", "close"]].map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const head = changes.reduce(changed, `${method} ${target} ${version}\r\n${fields.join("")}`);
    return { method: /^[\r\n]*([^ ]*)/.exec(head)?.[1] ?? "", bytes: `${head}\r\n` };
  });

function changed(head: string, { at, kind, piece, head: field }: Change): string {
  const where = Math.floor(at * head.length);
  if (kind === "insert") return head.slice(0, where) + piece + head.slice(where);
  if (kind === "remove") return head.slice(0, where) + head.slice(where + 1);
  if (kind === "twice") return head.slice(0, where) + head.slice(Math.max(0, where - 20));
  return `${head}${field}`;
}

/** The requests of a seed. The same seed always gives the same requests. */
export function batchOf(seed: number, requests: number): Batch {
  const malformedCount = Math.floor(requests / REQUESTS_PER_MALFORMED);
  return {
    odd: fc.sample(oddRequest, { seed, numRuns: requests - malformedCount }),
    malformed: fc.sample(malformed, { seed, numRuns: malformedCount }),
  };
}
