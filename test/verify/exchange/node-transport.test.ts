// verify's transport against hostile deployments.
import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { ROUTES } from "../../../src/resources/table.ts";
import { nodeTransport } from "../../../src/verify/connection.ts";
import { CutOff, TooLarge } from "../../../src/verify/exchange.ts";
import { Run } from "../../../src/verify/run.ts";
import { verify } from "../../../src/verify/verify.ts";
import { localServer } from "../../support/local-server.ts";

type Answer = (url: string, response: ServerResponse) => void;

async function deployment(answer: Answer, { end }: { readonly end?: AbortSignal } = {}) {
  const requested: string[] = [];
  const { url: base, stop } = await localServer((request, response) => {
    requested.push(request.url ?? "");
    answer(request.url ?? "", response);
  });
  const transport = nodeTransport(new URL(base), { timeout: 5_000, now: Date.now, ...(end && { end }) });
  onTestFinished(() => {
    transport.close();
    return stop();
  });
  return { requested, send: transport.send };
}

const GET = { method: "GET", target: "/", headers: {} };
const ZEROS = Buffer.alloc(64 << 20);

test.each([
  ["br", brotliCompressSync(ZEROS)],
  ["gzip", gzipSync(ZEROS)],
])("a decompression bomb in %s is not decompressed", async (encoding, bomb) => {
  const { send } = await deployment((_, response) =>
    response.writeHead(200, { "content-encoding": encoding }).end(bomb),
  );
  const error = await send(GET).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(TooLarge);
  expect((error as Error).message).toBe(`${bomb.length} bytes of ${encoding} decompress to more than 1048576`);
});

test("a body with more values than any response has is not parsed", async () => {
  const { send } = await deployment((_, response) => response.end(`{"items":[${"{},".repeat(150_000)}{}]}`));
  await expect(send(GET)).rejects.toThrow(new TooLarge("the body has more than 100000 values"));
});

test("a run keeps at most 64 MiB of ids and tags", () => {
  const environment = {
    send: async () => expect.unreachable(),
    now: Date.now,
    pause: async () => {},
    unique: () => "u",
  };
  const run = new Run({ routes: ROUTES, installationId: undefined, watch: 0 }, environment);
  const half = "x".repeat(32 << 20);
  run.keep(half);
  run.keep(half);
  expect(() => run.keep("x")).toThrow(CutOff);
});

test("a run that is cut off keeps its findings, and says what it has not judged", async () => {
  const stop = new AbortController();
  let requests = 0;
  const { requested, send } = await deployment(
    (_, response) => {
      if (++requests === 20) stop.abort("it got SIGINT");
      else response.writeHead(404).end();
    },
    { end: stop.signal },
  );
  const environment = { send, now: Date.now, pause: async () => {}, unique: () => "u" };
  const options = { routes: ROUTES, installationId: undefined, watch: 0 };
  const { findings: found, skipped } = await verify(options, environment, ["query", "edge", "kept"]);
  expect(found.length).toBeGreaterThan(0);
  expect(skipped).toContainEqual({
    what: "the rest",
    why: "the run was cut off: it got SIGINT; not judged to the end: query, edge, kept",
  });
  expect(requested.length).toBeLessThan(40);
});

async function findings(answer: Answer, families: Parameters<typeof verify>[2]) {
  const { requested, send } = await deployment(answer);
  const environment = { send, now: Date.now, pause: async () => {}, unique: () => "u" };
  const options = { routes: ROUTES, installationId: undefined, watch: 0 };
  const report = await verify(options, environment, families);
  return { requested, findings: report.findings };
}

test.each([{ toString: 1 }, "\ud800"])(
  "an unexpected error is a finding, and earlier findings are kept: the id %j",
  async (installationId) => {
    const hostile = JSON.stringify({
      schemaVersion: 1,
      installationId,
      items: [null, 7],
      events: [null],
    });
    const { findings: found } = await findings(
      (_, response) => response.writeHead(200, { "content-type": "application/json", etag: '"t\u00e9"' }).end(hostile),
      ["answer", "history"],
    );
    expect(found.length).toBeGreaterThan(10);
  },
);
