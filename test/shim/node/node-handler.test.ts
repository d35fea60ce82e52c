import { expect, onTestFinished, test } from "vitest";
import { nodeHandler } from "../../../src/shim/node/node-handler.ts";
import type { ShimResponse } from "../../../src/shim/respond.ts";
import { localServer } from "../../support/local-server.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { contextOver } from "./server-under-test.ts";

const UNSENDABLE: ShimResponse = { status: 200, headers: { "content-type": "text\x0fplain" }, body: new Uint8Array() };

test.each([
  ["at once", () => UNSENDABLE],
  ["later", () => Promise.resolve(UNSENDABLE)],
])("a response that Node cannot send, found %s, is a 500 and a defect", async (_, found) => {
  const defects: unknown[] = [];
  const handler = nodeHandler(contextOver(new MemoryStore()), {
    defect: (error) => void defects.push(error),
    before: found as () => Promise<ShimResponse>,
  });
  const { url, stop } = await localServer(handler);
  onTestFinished(stop);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toEqual([500, { error: "internal_error" }]);
  expect(defects).toEqual([expect.objectContaining({ code: "ERR_INVALID_CHAR" })]);
});
