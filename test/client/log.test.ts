// noonmark/log over HTTP: what it accepts of a server, and how its failures look.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Checkpoint, type Log, type LogOptions, openLog } from "../../src/client/log.ts";
import { verifierKey } from "../../src/log/note.ts";
import { newPrivateKey } from "../../src/log/signer.ts";
import { entryText, LogPublisher, newSigner } from "../log/support/published-log.ts";
import { type Handler, misbehavingServer, text } from "./support/misbehaving-server.ts";

const signer = newSigner();
const publisher = new LogPublisher({ signers: [signer] });
const early = publisher.grow(300);
const checkpoint = publisher.grow(600);
const key = verifierKey(signer.verifier);

/** Serves the log below /wheel/log/. Full bundles are stored compressed. */
const serve: Handler = ({ url = "" }, response) => {
  const path = url.replace(/^\/wheel\/log\//, "");
  const bytes = publisher.files.get(path);
  if (bytes === undefined) return text(response, 404, '{"error":"not_found"}');
  const isBundle = path.startsWith("tile/entries/");
  response.writeHead(200, isBundle ? { "content-encoding": "gzip" } : {});
  response.end(isBundle ? gzipSync(bytes) : bytes);
};

async function opened(options: Partial<LogOptions> = {}, handler: Handler = serve) {
  const server = await misbehavingServer(handler);
  return { server, log: await openLog({ baseUrl: `${server.base}/wheel/`, key, retries: 0, ...options }) };
}

async function textsOf(log: Log, bounds?: { from?: number; to?: number }): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of log.entries(bounds)) texts.push(text);
  return texts;
}

test("a log is opened, read and proved", async () => {
  const { log, server } = await opened({ since: early });
  expect(log.checkpoint).toEqual(checkpoint);
  expect(server.requests[0]?.url).toBe("/wheel/log/checkpoint");
  expect(await textsOf(log)).toEqual(Array.from({ length: 600 }, (_, index) => entryText(index)));
  expect(await textsOf(log, { from: 598 })).toEqual([entryText(598), entryText(599)]);
  expect(await textsOf(log, { to: 1 })).toEqual([entryText(0)]);
  expect(await log.includes(7, entryText(7))).toBe(true);
  expect(await log.includes(7, entryText(8))).toBe(false);
});

test("a text with half of a surrogate pair is no entry, although an encoder would make it one", async () => {
  const odd = new LogPublisher({ signers: [signer], textOf: () => '{"s":"\ufffd"}' });
  odd.grow(1);
  const files: Handler = ({ url = "" }, response) => {
    const bytes = odd.files.get(url.replace(/^\/wheel\/log\//, ""));
    if (bytes === undefined) return text(response, 404, "");
    response.end(bytes);
  };
  const { log } = await opened({}, files);
  expect(await log.includes(0, '{"s":"\ufffd"}')).toBe(true);
  expect(await log.includes(0, '{"s":"\ud800"}')).toBe(false);
});

test.each([
  ["another key", { key: verifierKey(newSigner().verifier) }, "log_unsigned"],
  ["a broken key", { key: "wheel.example.org" }, "log_key_invalid"],
  ["a private key", { key: newPrivateKey("a") }, "log_key_invalid"],
  ["a longer log that was remembered", { since: { ...checkpoint, size: 601 } }, "log_rewritten"],
  ["another log that was remembered", { since: { ...early, root: checkpoint.root } }, "log_rewritten"],
  [
    "the log of another name that was remembered",
    { since: { ...early, origin: "other.example/log" } },
    "log_restarted",
  ],
] as const)("a log is not opened with %s", async (_, options, code) => {
  await expect(opened(options)).rejects.toThrow(expect.objectContaining({ name: "NoonmarkError", code }));
});

test("the checkpoint of another name is refused, though the key signed it", async () => {
  const elsewhere = new LogPublisher({ signers: [newSigner("other.example"), signer] });
  elsewhere.grow(1);
  const files: Handler = (_, response) => {
    response.end(elsewhere.files.get("checkpoint"));
  };
  await expect(opened({}, files)).rejects.toThrow(
    "log_restarted: the checkpoint is of other.example/log, not of wheel.example.org/log",
  );
});

test.each([
  ["a page instead of the checkpoint", { path: "checkpoint", status: 200, body: "<html></html>" }, "log_malformed"],
  ["a redirect", { path: "checkpoint", status: 302, body: "" }, "invalid_response"],
  ["a 403", { path: "checkpoint", status: 403, body: "" }, "invalid_response"],
  ["a 503 with a code", { path: "checkpoint", status: 503, body: '{"error":"store_unavailable"}' }, "invalid_response"],
  [
    "a 403 with log_rewritten",
    { path: "tile/0/001", status: 403, body: '{"error":"log_rewritten"}' },
    "invalid_response",
  ],
  ["a 403 with aborted", { path: "tile/0/001", status: 403, body: '{"error":"aborted"}' }, "invalid_response"],
  ["a 403 with toString", { path: "tile/0/001", status: 403, body: '{"error":"toString"}' }, "invalid_response"],
  ["an empty tile", { path: "tile/0/001", status: 200, body: "" }, "log_malformed"],
  ["a tile of spaces", { path: "tile/0/001", status: 200, body: " ".repeat(8_192) }, "log_damaged"],
  ["a bundle of zeros", { path: "tile/entries/001", status: 200, body: "\0".repeat(512) }, "log_damaged"],
  ["a bundle that is a page", { path: "tile/entries/001", status: 200, body: "<html></html>" }, "log_malformed"],
  ["a missing bundle", { path: "tile/entries/001", status: 404, body: "" }, "log_incomplete"],
])("a server that sends %s is an error with a code", async (_, { path, status, body }, code) => {
  const broken: Handler = (request, response, number) =>
    request.url?.endsWith(path) === true ? text(response, status, body) : serve(request, response, number);
  const whole = opened({}, broken).then(({ log }) => textsOf(log));
  await expect(whole).rejects.toThrow(expect.objectContaining({ name: "NoonmarkError", code }));
});

test("a tile without end is read up to the limit", async () => {
  const endless: Handler = (request, response, number) => {
    if (request.url?.endsWith("tile/0/001") !== true) return serve(request, response, number);
    const chunk = Buffer.alloc(1 << 20);
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200).on("drain", write);
    write();
  };
  const { log } = await opened({}, endless);
  await expect(textsOf(log)).rejects.toThrow("tile/0/001 is too long");
});

test.each([
  [{ baseUrl: "ftp://host" }, "ftp://host"],
  [{ baseUrl: "https://host/?q" }, "https://host/?q"],
  [{ since: { origin: "wheel.example.org/log", size: -1, root: "" } }, "since is no checkpoint of openLog"],
  [{ since: "wheel.example.org/log\n8231\n" as unknown as Checkpoint }, "since is no checkpoint of openLog"],
] as const)("the options %j are a TypeError", async (options, says) => {
  const error = expect.objectContaining({ name: "TypeError", message: expect.stringContaining(says) });
  await expect(openLog({ baseUrl: "https://host", key, ...options })).rejects.toThrow(error);
});
