/** A multicall response that is not an array of results says nothing about any view function. */
import { encodeAbiParameters } from "viem";
import { expect, test } from "vitest";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { ContradictingResponse } from "../../../src/chain/rpc/node-responses.ts";
import { FailedView, rpcCalls, viewCalls, viewResults } from "../../../src/chain/view/reading.ts";

const address = `0x${"11".repeat(20)}`;
const VIEWS = viewCalls(
  deploymentSchema.parse({
    target: "test",
    chainId: 1,
    deploymentBlock: 1,
    factory: address,
    core: address,
    proxyAdmin: address,
    operatorTimelock: address,
    operatorProposer: address,
    streamId: `0x${"22".repeat(32)}`,
  }),
);

test("a multicall response that does not decode is a contradiction, and its bytes are not quoted", () => {
  for (const response of ["0x", "0x1234beef", `0x${"ff".repeat(64)}`]) {
    const read = () => viewResults(VIEWS, [response], true);
    expect(read, response).toThrow(ContradictingResponse);
    expect(read, response).toThrow(/^the multicall's response does not decode$/);
  }
});

test("one call reads all view functions, and a missing or mistyped result counts as failed", () => {
  expect(rpcCalls(VIEWS, "0x10", true)).toHaveLength(1);
  const results = [
    { success: true, returnData: `0x${"ab".repeat(32)}` },
    { success: false, returnData: "0x" },
    { success: true, returnData: "0x" },
  ] as const;
  const outputs = [
    {
      type: "tuple[]",
      components: [
        { name: "success", type: "bool" },
        { name: "returnData", type: "bytes" },
      ],
    },
  ];
  const views = viewResults(VIEWS, [encodeAbiParameters(outputs, [results])], true);
  expect(views.get("core.streamId")).toBe(`0x${"ab".repeat(32)}`);
  expect([...views.values()].filter((value) => value instanceof FailedView)).toHaveLength(VIEWS.length - 1);
});
