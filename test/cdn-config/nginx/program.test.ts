/** nginx's script by itself: what it asks for, what it makes of the replies, and how long that may be kept. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import program from "../../../cdn-config/generate/nginx/program.js";
import { COMMON_HEADERS } from "../../../src/http/common-headers.ts";
import { HTML_HEADERS } from "../../../src/http/route.ts";

const NOW = 1_800_000_000_400;
const PROCESS = "process v4/public/process /v4/public/process";
const TELEMETRY = "telemetry v1/public/telemetry /v1/public/telemetry";
const BUCKET = "/ask/bucket/1/v4/public/process";

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A request as njs has it; what is not in `replies` is 502. */
function request(object: string, replies: Readonly<Record<string, Reply>>, headersIn: Record<string, string> = {}) {
  const asked: string[] = [];
  return {
    asked,
    headersIn: { "noonmark-object": object, ...headersIn } as Record<string, string>,
    headersOut: {} as Record<string, string>,
    variables: {} as Record<string, string>,
    status: 0,
    body: undefined as string | undefined,
    redirected: undefined as string | undefined,
    async subrequest(path: string, options: { args?: string } = {}) {
      asked.push(path + (options.args ? `?${options.args}` : ""));
      const { status, headers = {}, body = "" } = replies[path] ?? { status: 502 };
      return { status, headersOut: headers, responseBuffer: body };
    },
    return(status: number, body: string) {
      this.status = status;
      this.body = body;
    },
    sendHeader() {},
    finish() {
      this.body = "";
    },
    internalRedirect(to: string) {
      this.redirected = to;
    },
  };
}

function object(headers: Record<string, string>, more: Record<string, string> = {}): Reply {
  const meta = { "x-amz-meta-headers": JSON.stringify(headers), Date: new Date(NOW - 400).toUTCString() };
  return { status: 200, headers: { ...meta, "noonmark-kept": "MISS", ...more }, body: "{}" };
}

async function answered(what: string, replies: Readonly<Record<string, Reply>>) {
  const r = request(what, replies);
  await program.answer(r);
  return r;
}

const HEADERS = { etag: '"r"', "cache-control": "no-cache" };
const SECOND = Math.floor(NOW / 1000);

describe("answer", () => {
  test("a valid object is kept for its edge seconds, with its tag if the API compares tags", async () => {
    const r = await answered(PROCESS, { [BUCKET]: object(HEADERS) });
    expect(r).toMatchObject({ asked: [BUCKET], status: 200, body: "{}" });
    expect(r.headersOut).toEqual({
      ...COMMON_HEADERS,
      "Content-Type": "application/json; charset=utf-8",
      "noonmark-etag": '"r"',
      "noonmark-cache-control": "no-cache",
      "noonmark-not-modified": "tag",
      ETag: '"r"',
      "Cache-Control": "stale-while-revalidate=1, stale-if-error=0",
      "X-Accel-Expires": `@${SECOND + 1}`,
    });
    const telemetry = await answered(TELEMETRY, { "/ask/bucket/1/v1/public/telemetry": object(HEADERS) });
    expect([telemetry.headersOut["ETag"], telemetry.headersOut["noonmark-etag"]]).toEqual([undefined, '"r"']);
  });

  test("a page has its own headers, and none for other origins", async () => {
    const key = "site/index.html";
    const page = object({ etag: '"p"', ...HTML_HEADERS }, { "Content-Type": "text/plain" });
    const { headersOut } = await answered(`page ${key} /`, { [`/ask/bucket/60/${key}`]: page });
    expect(headersOut).toMatchObject({
      "Content-Type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "noonmark-content-security-policy": HTML_HEADERS["content-security-policy"],
    });
    expect(headersOut["access-control-allow-origin"]).toBeUndefined();
    const r = request("", { "/_noonmark/fetched": { status: 200, headers: headersOut } }, { "If-None-Match": "*" });
    await program.judged(r);
    expect([r.status, r.headersOut["content-security-policy"]]).toEqual([304, undefined]);
  });

  test("a compressed response has a weak tag", async () => {
    const tag = async (length: number, encoding: string) => {
      const reply = { ...object(HEADERS), body: "x".repeat(length) };
      const r = request(PROCESS, { [BUCKET]: reply }, { "Accept-Encoding": encoding });
      await program.answer(r);
      return r.headersOut["noonmark-etag"];
    };
    expect([await tag(1024, "gzip"), await tag(1023, "gzip"), await tag(1024, "")]).toEqual(['W/"r"', '"r"', '"r"']);
  });

  test.each([
    [1, "0"],
    [649, "0"],
    [650, `@${SECOND}`],
    [1_649, `@${SECOND}`],
    [1_650, `@${SECOND + 1}`],
    [2_650, `@${SECOND + 1}`],
    [60_000, `@${SECOND + 1}`],
  ])(
    "%d ms before valid-until a response is kept up to %s, because nginx keeps whole seconds",
    async (left, expires) => {
      const r = await answered(PROCESS, {
        [BUCKET]: object(HEADERS, { "x-amz-meta-valid-until": String(NOW + left) }),
      });
      expect([r.status, r.headersOut["X-Accel-Expires"]]).toEqual([200, expires]);
      const longer = Number(/revalidate=(\d+)/.exec(r.headersOut["Cache-Control"] ?? "")?.[1] ?? 0);
      const last = expires === "0" ? Number.NEGATIVE_INFINITY : Number(expires.slice(1));
      expect((last + longer + 1) * 1000).toBeLessThan(NOW + left);
    },
  );

  test("an object that was cached before is not kept for longer", async () => {
    const date = (ms: number) => new Date(NOW - 400 - ms).toUTCString();
    const of = async (ms: number) =>
      (await answered(PROCESS, { [BUCKET]: object(HEADERS, { Date: date(ms), "noonmark-kept": "HIT" }) })).headersOut[
        "X-Accel-Expires"
      ];
    expect([await of(0), await of(1_000), await of(2_000)]).toEqual([`@${SECOND + 1}`, `@${SECOND}`, "0"]);
  });

  test("past valid-until the shim responds, and only a trusted front keeps that", async () => {
    const past = { [BUCKET]: object(HEADERS, { "x-amz-meta-valid-until": String(NOW) }) };
    const shim = "/ask/shim/1/v4/public/process";
    const reply = { etag: '"s"', Date: new Date(NOW).toUTCString(), "noonmark-kept": "MISS" };
    const heard = await answered(PROCESS, {
      ...past,
      [shim]: { status: 200, headers: { ...reply, "noonmark-heard": "1" } },
    });
    expect([heard.asked, heard.headersOut["X-Accel-Expires"]]).toEqual([[BUCKET, shim], `@${SECOND + 1}`]);
    const fresh = "/ask/shim/fresh/v4/public/process";
    const unheard = await answered(PROCESS, {
      ...past,
      [shim]: { status: 200, headers: reply },
      [fresh]: { status: 200, headers: reply },
    });
    expect([unheard.asked, unheard.headersOut["X-Accel-Expires"]]).toEqual([[BUCKET, shim, fresh], "0"]);
  });

  test("a published error is kept for a second, and a failing origin's other responses are not kept", async () => {
    const error = object({ "retry-after": "2" }, { "x-amz-meta-status": "503" });
    const r = await answered(PROCESS, { [BUCKET]: error, "/ask/bucket/error/v4/public/process": error });
    expect([r.status, r.headersOut["X-Accel-Expires"]]).toEqual([503, `@${SECOND + 1}`]);
    const nobody = await answered(PROCESS, {});
    expect([nobody.status, nobody.body, nobody.headersOut["X-Accel-Expires"]]).toEqual([
      503,
      '{"error":"store_unavailable"}',
      "0",
    ]);
    const stale = object({}, { Date: new Date(NOW - 30_000).toUTCString(), "noonmark-kept": "STALE" });
    const hidden = await answered(TELEMETRY, { "/ask/bucket/1-stale/v1/public/telemetry": stale });
    expect([hidden.status, hidden.body, hidden.headersOut["X-Accel-Expires"]]).toEqual([200, "{}", "0"]);
  });
});

describe("judged", () => {
  async function judged(headers: Record<string, string>, ifNoneMatch?: string) {
    const reply = { status: 200, headers, body: "{}" };
    const asked = ifNoneMatch === undefined ? {} : { "If-None-Match": ifNoneMatch };
    const r = request(PROCESS, { "/_noonmark/fetched": reply }, asked as Record<string, string>);
    await program.judged(r);
    const status = r.status;
    program.judgedHeader(r);
    return { ...r, written: status };
  }
  const KEPT = { "noonmark-etag": '"r"', "noonmark-cache-control": "no-cache", "noonmark-not-modified": "tag" };

  test("conditions are judged by the API's rules, not nginx's own", async () => {
    expect(await judged(KEPT, "*")).toMatchObject({
      status: 304,
      body: "",
      variables: { noonmark_judged_etag: '"r"' },
    });
    expect(await judged(KEPT, '"x,"r"')).toMatchObject({ written: 299, status: 200, body: "{}" });
    const untagged = { ...KEPT, "noonmark-not-modified": "no-tag" };
    expect(await judged(untagged, "*")).toMatchObject({ status: 304, variables: { noonmark_judged_etag: "" } });
    const { "noonmark-not-modified": _, ...unconditional } = KEPT;
    expect(await judged(unconditional, "*")).toMatchObject({ written: 299, status: 200 });
  });

  test("a compressed response's tag is weak, in its 304 too", async () => {
    const compressed = { ...KEPT, "noonmark-etag": 'W/"r"', "Content-Encoding": "gzip", Vary: "Accept-Encoding" };
    expect(await judged(compressed)).toMatchObject({
      variables: { noonmark_judged_etag: 'W/"r"', noonmark_judged_cache_control: "no-cache" },
      headersOut: { "Content-Encoding": "gzip", Vary: "Accept-Encoding" },
    });
    const { headersOut, variables } = await judged(compressed, "*");
    expect([headersOut, variables["noonmark_judged_etag"]]).toEqual([{ Vary: "Accept-Encoding" }, 'W/"r"']);
  });

  test("if the cache does not respond, nginx's own error becomes one of the API", async () => {
    const r = request(PROCESS, {});
    await program.judged(r);
    expect(r.redirected).toBe("@noonmark_unavailable");
  });
});

test("only the API's headers of the shim's response pass", () => {
  const r = request(PROCESS, {});
  Object.assign(r.headersOut, { ETag: '"r"', Via: "x", "noonmark-heard": "1", Vary: "Accept-Encoding" });
  program.passed(r);
  expect(Object.keys(r.headersOut)).toEqual(["ETag", "Vary"]);
  r.headersOut["Vary"] = "Cookie";
  program.passed(r);
  expect(Object.keys(r.headersOut)).toEqual(["ETag"]);
});
