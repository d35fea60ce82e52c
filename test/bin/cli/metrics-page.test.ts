// The metrics server accepts only requests for its own address, so that DNS rebinding by a web page fails.
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Registry } from "@prometheus-io/client";
import { expect, onTestFinished, test } from "vitest";
import { startMetricsPage } from "../../../bin/cli/metrics/metrics-page.ts";

async function statusOf(bound: string, host: string): Promise<number | undefined> {
  let url = "";
  const page = { registry: new Registry(), defect: () => undefined, started: (at: string) => void (url = at) };
  onTestFinished(await startMetricsPage(`${bound}:0`, () => page));
  const { port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: pathname, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

test.each(["127.0.0.1:9464", "localhost:9464", "LOCALHOST", "[::1]:9464"])(
  "the metrics server accepts the Host %s",
  async (host) => {
    expect(await statusOf("127.0.0.1", host)).toBe(200);
  },
);

test.each(["rebound.example", "rebound.example:9464", "127.0.0.1.example", "localhost.example", "a b"])(
  "the metrics server responds 421 to the Host %j, which could be DNS rebinding",
  async (host) => {
    expect(await statusOf("127.0.0.1", host)).toBe(421);
  },
);

test("a metrics server responds once on a connection, so that nobody can pipeline requests for its page", async () => {
  let url = "";
  const page = { registry: new Registry(), defect: () => undefined, started: (at: string) => void (url = at) };
  onTestFinished(await startMetricsPage("127.0.0.1:0", () => page));
  const { port, host, pathname } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(20));
  const responses = await text(socket);
  expect(responses.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
});
