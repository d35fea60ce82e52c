/** The two servers of `client-scene.ts`, their recorded requests, and the expected result of the scene. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, onTestFinished } from "vitest";
import { verifierKey } from "../../../src/log/note.ts";
import { nodeHandler } from "../../../src/shim/node/node-handler.ts";
import { entryText, LogPublisher, newSigner } from "../../log/support/published-log.ts";
import { localServer } from "../../support/local-server.ts";
import { scriptWorld } from "../../support/scripts/script-world.ts";
import type { SceneAddresses } from "./client-scene.ts";

export interface SceneServers extends SceneAddresses {
  /** `METHOD target If-None-Match status` of every request to the well-behaved server. */
  readonly requests: string[];
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const signer = newSigner();
const TELEMETRY = JSON.stringify({ schemaVersion: 1, status: "offline" });

export async function sceneServers(): Promise<SceneServers> {
  const { context } = await scriptWorld();
  const defects: unknown[] = [];
  onTestFinished(() => expect(defects).toEqual([]));
  const shim = nodeHandler(context, { defect: (error) => defects.push(error), closing: () => false });
  const requests: string[] = [];
  const good = await listening((request, response) => {
    const { method, url, headers } = request;
    response.on("close", () => {
      requests.push(`${method} ${url} ${headers["if-none-match"] ?? "-"} ${response.statusCode}`);
    });
    shim(request, response);
  });
  const publisher = new LogPublisher({ signers: [signer] });
  publisher.grow(300);
  const log = await listening(({ url = "" }, response) => {
    const bytes = publisher.files.get(url.replace("/log/", ""));
    response.writeHead(bytes === undefined ? 404 : 200, { "access-control-allow-origin": "*" }).end(bytes);
  });
  return { good, bad: await listening(misbehave()), log, key: verifierKey(signer.verifier), requests };
}

function misbehave(): Handler {
  let busy = 0;
  return ({ url = "" }, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-expose-headers", "ETag, Retry-After");
    const answer = (status: number, body: string) => response.writeHead(status).end(body);
    const busyFor = (seconds: string) => {
      response.setHeader("retry-after", seconds);
      answer(503, '{"error":"store_unavailable"}');
    };
    switch (url.split("/")[1]) {
      case "busy-once":
        return busy++ === 0 ? busyFor("0") : answer(200, TELEMETRY);
      case "busy":
        return busyFor("1");
      case "busy-long":
        return busyFor("30");
      case "truncated":
        response.writeHead(200, { "content-length": "1000" });
        return response.write(TELEMETRY, () => response.destroy());
      case "html":
        return answer(200, "<!doctype html>");
      case "hang-in-body":
        response.writeHead(200);
        return response.write(TELEMETRY);
      case "repeating":
        return answer(200, JSON.stringify({ schemaVersion: 1, items: [{ sequence: 1 }], nextCursor: "again" }));
      default: // Hangs.
        return undefined;
    }
  };
}

async function listening(handler: Handler): Promise<string> {
  const { url, stop } = await localServer(handler);
  onTestFinished(stop);
  return url;
}

/** The result is the same in every runtime. */
export const SCENE_OUTCOME = {
  telemetry: ["online", '"telemetry-1"'],
  unchanged: [false, true, true, '"process-1"'],
  source: "live",
  refused: ["invalid_cursor", 400],
  unavailable: ["indexer_disabled", 200],
  noSuchId: ["invalid_installation_id", null],
  walked: [300, true],
  events: [5, 4, 3, 2, 1].map((number) => `31337-${100 + number}-0`),
  watched: [1, ["aborted", null]],
  retried: "offline",
  busy: ["store_unavailable", 503],
  truncated: ["network", null],
  html: ["invalid_response", 200],
  hang: ["timeout", null],
  hangInBody: ["timeout", null],
  aborted: ["aborted", null],
  abortedInWait: ["aborted", null],
  repeating: ["invalid_response", 200],
  nobody: ["network", null],
  units: String(2n ** 256n - 1n),
  amount: "1.5",
  log: [300, [255, 256].map((index) => ({ index, text: entryText(index) })), true, false],
  otherKey: ["log_key_invalid", null],
  noLog: ["log_incomplete", null],
};
