import { expect, test } from "vitest";
import { shimContext } from "../../src/shim/context.ts";
import { webHandler } from "../../src/shim/web-handler.ts";

test.each(["GET", "HEAD"])("a defect gives a %s a 500 of the API, with its headers", async (method) => {
  const statuses: number[] = [];
  const defects: unknown[] = [];
  const failing = () => {
    throw new TypeError("a defect");
  };
  const store = { get: failing };
  const onResponse = (_: unknown, status: number) => statuses.push(status);
  const context = shimContext({ store, now: () => 0, monotonic: () => 0, onResponse });
  const handler = webHandler(context, (error) => defects.push(error));
  for (const path of ["/v1/public/telemetry", "/status.json"]) {
    const response = await handler(new Request(`http://any.host${path}`, { method }));
    expect(response.status).toBe(500);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toBe(method === "HEAD" ? "" : '{"error":"internal_error"}');
  }
  expect([statuses, defects.length]).toEqual([[500, 500], 2]);
});
