/** `noonmark ledger restore URL --log-key KEY`: a mirror from a public log alone (docs/log.md#mirror). */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { entryTexts, logSize } from "../../../../src/ledger/log.ts";
import { openLedgerForReading } from "../../../../src/ledger/open.ts";
import { verifierKey } from "../../../../src/log/note.ts";
import { ingest as take } from "../../../ledger/ingest.ts";
import { closure, emptyLedger, instant, type Json, module, receipt, round } from "../../../ledger/samples.ts";
import { LogPublisher, newSigner } from "../../../log/support/published-log.ts";
import { type Finished, runCli } from "../../../support/cli.ts";
import { localServer } from "../../../support/local-server.ts";
import { runningCli } from "../../../support/running-cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const SETTINGS = { installations: "any", installationId: "wheel-1", genesisTimestamp: 1795000200 };
const SECOND = { installationId: "wheel-2" };
const FACTS = [
  ...Array.from({ length: 5 }, (_, index) => round(index, { closedAt: instant(600 * index - 8000) })),
  closure(0, 4, { acceptedAt: instant(1) }),
  module({ data: { secret: 1 }, configurationVersion: "9" }),
  module(SECOND),
  ...Array.from({ length: 300 }, (_, index) => [receipt(index + 1), receipt(index + 1, SECOND)]).flat(),
];
const PATHS = [
  "/v1/public/telemetry",
  "/v1/public/installations/wheel-2/telemetry",
  "/v1/public/modules",
  "/v2/public/stats?range=30d",
  "/v1/public/installations/wheel-1/observations",
  "/v1/public/installations/wheel-1/observations?cursor=MTI4",
  "/v1/public/installations/wheel-2/observations",
];

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

async function done(running: Promise<Finished>): Promise<string> {
  const finished = await running;
  expect(finished).toMatchObject({ exitCode: 0, stderr: "" });
  return finished.stdout;
}

test("a mirror from the public log alone has the same responses, byte for byte", async () => {
  const [origin, mirror] = [join(folder, "origin"), join(folder, "mirror")];
  for (const place of [origin, mirror]) mkdirSync(place);
  writeFileSync(join(origin, "noonmark.json"), JSON.stringify({ ...SETTINGS, logKey: "key" }));
  writeFileSync(join(mirror, "noonmark.json"), JSON.stringify(SETTINGS));
  const key = (await done(runCli(["key", "generate", "wheel.example.org", "--out", "key"], origin))).trim();
  await done(runCli(["ingest", "-"], origin, linesOf(FACTS)));
  const published = await done(runCli(["publish", "--once", "--publish-log"], origin));
  const [, at = ""] = /^as of (\S+): /m.exec(published) ?? [];

  const serving = runningCli(["serve", "--at", at], origin, { NOONMARK_PORT: "0" });
  const [, url = ""] = /on (http:\/\/127\.0\.0\.1:\d+)/.exec(await serving.printed(/^Serving .*\n/m)) ?? [];
  const restored = await done(runCli(["ledger", "restore", url, "--log-key", key], mirror));
  expect(restored).toContain("contains the 608 entries of the log; 608 of them are new");
  expect(restored).not.toContain("noonmark ingest");
  const fork = await runCli(["ingest", "-"], mirror, linesOf([receipt(1)]));
  expect([fork.exitCode, fork.stderr]).toEqual([2, expect.stringContaining("ledger_is_mirror")]);
  // It is refused before any server is asked.
  const followed = await runCli(["ingest", "--follow", "nats://127.0.0.1:9/facts"], mirror);
  expect([followed.exitCode, followed.stderr]).toEqual([2, expect.stringContaining("ledger_is_mirror")]);

  for (const path of PATHS) {
    const response = await fetch(url + path);
    expect([path, response.status]).toEqual([path, 200]);
    const rendered = await done(runCli(["render", path, "--at", at, "--body"], mirror));
    expect(rendered).toBe(await response.text());
  }
  await done(runCli(["publish", "--once"], mirror));
});

type Fault = (path: string, response: ServerResponse, bytes: Uint8Array | undefined) => boolean;

/** Handles requests for one path; the others are served as they are. */
function at(place: string, act: (response: ServerResponse, bytes: Buffer) => void): Fault {
  return (path, response, bytes) => {
    if (path !== place) return false;
    act(response, Buffer.from(bytes ?? []));
    return true;
  };
}

function flipped(bytes: Buffer): Buffer {
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  return bytes;
}

const FIRST = "tile/entries/000";
const SECOND_BUNDLE = "tile/entries/001";

test.each<[string, Fault, number, string, number]>([
  ["a flipped bit in an entry", at(SECOND_BUNDLE, (to, bytes) => to.end(flipped(bytes))), 74, "log_damaged", 256],
  ["a tile without an end", at("tile/0/000", endless), 74, "unreachable", 0],
  ["a missing bundle", at(SECOND_BUNDLE, (to) => to.writeHead(404).end()), 74, "log_damaged", 256],
  ["a redirect", at(FIRST, (to) => to.writeHead(302, { location: `/log/${FIRST}?` }).end()), 74, "unreachable", 0],
  ["a checkpoint of another key", at("checkpoint", (to) => to.end(otherCheckpoint())), 1, "log_unsigned", 0],
])("%s ends a restore, and only proved entries are in the ledger", async (_, ...[fault, exitCode, code, size]) => {
  const { url, key } = await served(textsOf(), fault);
  const failed = await runCli(["ledger", "restore", url, "--log-key", key, "--ledger", "l.db"], folder);
  expect(failed).toMatchObject({
    exitCode,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`^noonmark: ${code}: `)),
  });
  expect(entriesOf("l.db")).toEqual(textsOf().slice(0, size));
});

test("a restore that failed continues where it ended", async () => {
  let fails = true;
  const { url, key } = await served(textsOf(), (path, response) => {
    if (path !== SECOND_BUNDLE || !fails) return false;
    response.writeHead(404).end();
    return true;
  });
  const restore = () => runCli(["ledger", "restore", url, "--log-key", key, "--ledger", "l.db"], folder);
  expect((await restore()).exitCode).toBe(74);
  fails = false;
  expect(await done(restore())).toContain("contains the 608 entries of the log; 352 of them are new");
  expect(entriesOf("l.db")).toEqual(textsOf());
});

test("a signed entry that is not a fact is log_not_replayable, and a ledger of another log is not changed", async () => {
  const { url, key } = await served([...textsOf().slice(0, 3), '{"type":"wheel"}']);
  const restore = (ledger: string) => runCli(["ledger", "restore", url, "--log-key", key, "--ledger", ledger], folder);
  expect(await restore("l.db")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("log_not_replayable: entry 3 of the log: unknown_type type: "),
  });
  await done(runCli(["ingest", "-", "--ledger", "other.db"], folder, linesOf([receipt(1)])));
  expect(await restore("other.db")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ledger_forked: ") });
  expect(entriesOf("other.db")).toHaveLength(1);
});

test("a URL needs a verifier key", async () => {
  const { url } = await served(textsOf());
  const restore = (...flags: string[]) => runCli(["ledger", "restore", url, "--ledger", "l.db", ...flags], folder);
  expect(await restore()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("noonmark: usage: ") });
  expect(await restore("--log-key", "key")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("log_key_invalid: the key does not have the form NAME+ID+DATA"),
  });
});

function textsOf(): string[] {
  const ledger = emptyLedger();
  take(ledger, FACTS);
  return [...entryTexts(ledger, 0, logSize(ledger))];
}

function linesOf(records: readonly Json[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** Serves a signed log with these entries, except for what `fault` serves itself. */
async function served(texts: readonly string[], fault: Fault = () => false): Promise<{ url: string; key: string }> {
  const log = new LogPublisher({ textOf: (index) => texts[index] ?? "" });
  log.grow(texts.length);
  const server = await localServer((request, response) => {
    const path = (request.url ?? "").replace("/log/", "");
    const bytes = log.files.get(path);
    if (fault(path, response, bytes)) return;
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  onTestFinished(() => server.stop());
  const [signer] = log.signers;
  return { url: server.url, key: signer === undefined ? "" : verifierKey(signer.verifier) };
}

function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(1 << 20);
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once("drain", more);
  };
  more();
}

function otherCheckpoint(): Uint8Array | undefined {
  const other = new LogPublisher({ signers: [newSigner()], textOf: (index) => textsOf()[index] ?? "" });
  other.grow(3);
  return other.files.get("checkpoint");
}

function entriesOf(name: string): string[] {
  if (!existsSync(join(folder, name))) return [];
  const ledger = openLedgerForReading(join(folder, name));
  try {
    return [...entryTexts(ledger, 0, logSize(ledger))];
  } finally {
    ledger.close();
  }
}
