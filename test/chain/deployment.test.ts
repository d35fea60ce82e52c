// deployment.json (docs/spec/chain.md#deployment).
import fc from "fast-check";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import { deploymentSchema } from "../../src/chain/deployment.ts";

const hex = (digits: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdefABCDEF"), { minLength: digits, maxLength: digits })
    .map((all) => `0x${all.join("")}`);
const file = fc.record({
  target: fc.string({ minLength: 1 }),
  chainId: fc.integer({ min: 1 }),
  deploymentBlock: fc.maxSafeNat(),
  factory: hex(40),
  core: hex(40),
  proxyAdmin: hex(40),
  operatorTimelock: hex(40),
  operatorProposer: hex(40),
  streamId: hex(64),
});

test("addresses in any case are published checksummed, hashes in lower case", () => {
  fc.assert(
    fc.property(file, (given) => {
      const read = deploymentSchema.parse(given);
      expect(read.core).toBe(getAddress(given.core));
      expect(read.streamId).toBe(given.streamId.toLowerCase());
      expect(read.economy).toBeUndefined();
    }),
  );
});

test.each([
  ["an unknown key", { rpcUrl: "http://x" }],
  ["an unknown key of the economy", { economy: { releaseId: "r", extra: 1 } }],
  ["a chain id that is not an integer", { chainId: 1.5 }],
  ["a chain id as a string", { chainId: "1" }],
  ["a block below zero", { deploymentBlock: -1 }],
  ["an address that is too short", { core: `0x${"1".repeat(39)}` }],
  ["an address without 0x", { core: "1".repeat(40) }],
  ["a missing key", { streamId: undefined }],
])("%s is an error", (_, change) => {
  const [given] = fc.sample(file, { numRuns: 1, seed: 1 });
  expect(deploymentSchema.safeParse(given).success).toBe(true);
  expect(deploymentSchema.safeParse({ ...given, ...change }).success).toBe(false);
});
