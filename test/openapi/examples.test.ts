/** The examples of the document satisfy the rules that their schemas cannot say. */
import { getAddress } from "viem";
import { expect, test } from "vitest";
import examples from "../../src/openapi/generated/examples.json" with { type: "json" };

test("every address in the examples is checksummed", () => {
  const addresses = JSON.stringify(examples).match(/"0x[0-9a-fA-F]{40}"/g) ?? [];
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(address).toBe(`"${getAddress(JSON.parse(address))}"`);
});
