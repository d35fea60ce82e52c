/**
 * How long nginx's script lets a response be cached, to the second. Its other behaviour is tested through nginx itself
 * (test/servers/nginx.test.ts).
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import program from "../../../cdn-config/generate/nginx/program.js";

const NOW = 1_800_000_000_400;
const SECOND = Math.floor(NOW / 1000);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The response headers that the cache gets for a bucket object with these headers. */
async function handed(headers: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const stored = { "x-amz-meta-headers": "{}", Date: new Date(NOW - 400).toUTCString(), "noonmark-kept": "MISS" };
  const request = {
    headersIn: { "noonmark-object": "process v4/public/process /v4/public/process" } as Record<string, string>,
    headersOut: {} as Record<string, string>,
    variables: {} as Record<string, string>,
    status: 0,
    async subrequest(path: string) {
      const isStored = path === "/ask/bucket/1/v4/public/process";
      return { status: isStored ? 200 : 502, headersOut: { ...stored, ...headers }, responseBuffer: "{}" };
    },
    return(status: number) {
      this.status = status;
    },
    sendHeader() {},
    finish() {},
    internalRedirect() {},
  };
  await program.respond(request);
  expect(request.status).toBe(200);
  return request.headersOut;
}

test.each([
  [1, "0"],
  [649, "0"],
  [650, `@${SECOND}`],
  [1_649, `@${SECOND}`],
  [1_650, `@${SECOND + 1}`],
  [2_650, `@${SECOND + 1}`],
  [60_000, `@${SECOND + 1}`],
])(
  "%d ms before valid-until a response is cached until %s, because nginx counts whole seconds",
  async (left, expires) => {
    const headers = await handed({ "x-amz-meta-valid-until": String(NOW + left) });
    expect(headers["X-Accel-Expires"]).toBe(expires);
    const longer = Number(/revalidate=(\d+)/.exec(headers["Cache-Control"] ?? "")?.[1] ?? 0);
    const last = expires === "0" ? Number.NEGATIVE_INFINITY : Number(expires.slice(1));
    expect((last + longer + 1) * 1000).toBeLessThan(NOW + left);
  },
);

test("an object from an older cache entry is not cached for longer", async () => {
  const date = (ms: number) => new Date(NOW - 400 - ms).toUTCString();
  const of = async (ms: number) => (await handed({ Date: date(ms), "noonmark-kept": "HIT" }))["X-Accel-Expires"];
  expect([await of(0), await of(1_000), await of(2_000)]).toEqual([`@${SECOND + 1}`, `@${SECOND}`, "0"]);
});
