// The fast decoder against viem's decodeEventLog, for every event with random values.
import fc from "fast-check";
import { type AbiEvent, decodeEventLog, encodeAbiParameters, encodeEventTopics, getAddress, type Hex } from "viem";
import { expect, test } from "vitest";
import * as abis from "../../src/chain/abi.ts";
import { EVENT_SHAPES } from "../../src/chain/event-shape.ts";

const events = Object.values(abis).flatMap((abi) => abi.filter((item) => item.type === "event")) as AbiEvent[];
const shapes = new Map(Object.values(EVENT_SHAPES).flatMap((kind) => [...kind]));

const bytes = (size: { minLength: number; maxLength: number }) =>
  fc.uint8Array(size).map((all) => `0x${Buffer.from(all).toString("hex")}` as Hex);

function valueOf(type: string): fc.Arbitrary<unknown> {
  if (type.endsWith("[]")) return fc.array(valueOf(type.slice(0, -2)), { maxLength: 5 });
  if (type === "address") return bytes({ minLength: 20, maxLength: 20 }).map((one) => getAddress(one));
  if (type === "bytes32") return bytes({ minLength: 32, maxLength: 32 });
  if (type === "bytes") return bytes({ minLength: 0, maxLength: 80 });
  const bits = BigInt(type.slice(4));
  const integer = fc.bigInt({ min: 0n, max: 2n ** bits - 1n });
  // viem uses numbers for up to 48 bits.
  return bits <= 48n ? integer.map(Number) : integer;
}

function text(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value.map(text)) : String(value);
}

test.each(events.map((event) => [event.name, event] as const))("%s", (_, event) => {
  const values = fc.tuple(...event.inputs.map((input) => valueOf(input.type)));
  fc.assert(
    fc.property(values, (given) => {
      const args = Object.fromEntries(event.inputs.map((input, index) => [input.name, given[index]]));
      const topics = encodeEventTopics({ abi: [event], args } as never) as [Hex, ...Hex[]];
      const unindexed = event.inputs.filter((input) => input.indexed !== true);
      const data = encodeAbiParameters(
        unindexed,
        unindexed.map((input) => args[input.name as string]),
      );
      const reference = decodeEventLog({ abi: [event], topics, data }).args as unknown as Record<string, unknown>;
      const decoded = shapes.get(topics[0])?.decode(topics, data);
      expect(decoded).toEqual(event.inputs.map(({ name = "" }) => ({ name, value: text(reference[name]) })));
      // A truncated log does not decode.
      expect(() => shapes.get(topics[0])?.decode(topics.slice(0, -1), data.slice(0, -64) as Hex)).toThrow();
    }),
    { numRuns: 30 },
  );
});

test("values outside their type's range do not decode", () => {
  const [topic0, shape] = [...EVENT_SHAPES.core].find(([, { name }]) => name === "Paused") ?? [];
  expect(() => shape?.decode([topic0 as Hex], `0x${"f".repeat(64)}`)).toThrow("20 bytes");
  const [initialized, version] = [...EVENT_SHAPES.core].find(([, { name }]) => name === "Initialized") ?? [];
  expect(() => version?.decode([initialized as Hex], `0x${"f".repeat(64)}`)).toThrow("out of range");
});
