import { expect, test } from "vitest";
import { parsePrivateStatus } from "../../../publish/status/private-status.ts";

test("control characters in a holder's name are escaped for the operator's terminal", () => {
  const hostile = {
    schemaVersion: 1,
    epoch: 1,
    holder: "token",
    holderName: "host 1\u001b[2J\r\nproblems    none\u202e",
    failures: [{ code: "x", message: "\u001b]0;title\u0007" }],
  };
  const status = parsePrivateStatus(Buffer.from(JSON.stringify(hostile)));
  expect(status.holderName).toBe("host 1\\u001b[2J\\u000d\\u000aproblems    none\\u202e");
  expect(JSON.stringify(status.failures)).not.toMatch(/(?<!\\)\\u00/);
});
