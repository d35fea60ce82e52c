/** `noonmark ledger restore`: a lost ledger comes back from the store (docs/spec/intake.md#replay). */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Head, headObject, NO_LOG, readHead } from "../../../../publish/head/head.ts";
import { HEAD_KEY } from "../../../../src/http/keys.ts";
import { Intake } from "../../../../src/ledger/intake/intake.ts";
import { attach, readStreamPosition, StreamSource, startAfter } from "../../../../src/ledger/intake/stream-position.ts";
import { entryTexts, logSize } from "../../../../src/ledger/log.ts";
import { openLedgerForIntake, openLedgerForReading } from "../../../../src/ledger/open.ts";
import { encodeBundle } from "../../../../src/log/tiles.ts";
import { GrowingTree } from "../../../../src/log/tree.ts";
import { FilesystemStore } from "../../../../src/object-store/filesystem/filesystem-store.ts";
import { closure, instant, type Json, module, oracle, receipt, round } from "../../../ledger/samples.ts";
import { type Finished, runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const SETTINGS = { installations: "any", installationId: "wheel-1", genesisTimestamp: 1795000200 };
const LEDGER = ".noonmark/ledger.db";
const CHECKPOINT = "private/log/checkpoint";
const BUNDLE = "private/log/tile/entries/000.p/2";
const SECOND = { installationId: "wheel-2" };
const AT = "2026-11-20T10:30:00Z";
const PATHS = [
  "/v1/public/telemetry",
  "/v1/public/modules",
  "/v2/public/stats?range=30d",
  "/v1/public/installations/wheel-1/observations",
];

let folder: string;
beforeEach(() => {
  folder = testFolder();
  writeFileSync(join(folder, "noonmark.json"), JSON.stringify(SETTINGS));
});

function run(...arguments_: string[]): Promise<Finished> {
  return runCli(arguments_, folder);
}

function restore(...flags: string[]): Promise<Finished> {
  return run("ledger", "restore", ".noonmark/public", ...flags);
}

async function ingest(records: readonly Json[], ...flags: string[]): Promise<void> {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const ingested = await runCli(["ingest", "-", ...flags], folder, lines);
  expect(ingested).toMatchObject({ exitCode: 0, stderr: "" });
}

async function publish(): Promise<void> {
  expect(await run("publish", "--once")).toMatchObject({ exitCode: 0, stderr: "" });
}

function lose(): void {
  for (const name of readdirSync(join(folder, ".noonmark"))) {
    if (name !== "public") rmSync(join(folder, ".noonmark", name), { recursive: true });
  }
}

async function rendered(): Promise<string[]> {
  const bodies = await Promise.all(PATHS.map((path) => run("render", path, "--at", AT)));
  for (const { stdout } of bodies) expect(stdout).toMatch(/^HTTP\/1\.1 200 /);
  return bodies.map(({ stdout }) => stdout);
}

function textsOf(path = LEDGER): string[] {
  const ledger = openLedgerForReading(join(folder, path));
  try {
    return [...entryTexts(ledger, 0, logSize(ledger))];
  } finally {
    ledger.close();
  }
}

test("after a lost disk nothing that was published changes, also if the tail comes in another order", async () => {
  const rounds = Array.from({ length: 5 }, (_, index) => round(index, { closedAt: instant(600 * index - 8000) }));
  await ingest([...rounds, closure(0, 4, { acceptedAt: instant(1) }), module(), module(SECOND)]);
  await ingest(Array.from({ length: 280 }, (_, index) => [receipt(index + 1), receipt(index + 1, SECOND)]).flat());
  await publish();
  const [before, texts] = [await rendered(), textsOf()];
  const tail = [receipt(281), receipt(282), receipt(281, SECOND), module({ observedAt: instant(9) }), oracle()];
  await ingest(tail);
  lose();

  const restored = await restore();
  expect(restored).toMatchObject({ exitCode: 0, stderr: "" });
  expect(restored.stdout.split("\n")).toEqual([
    expect.stringMatching(/^ledger \/.*\/ledger\.db contains the 568 entries of the log; 568 of them are new$/),
    expect.stringMatching(/^installation +newest fact +at +key$/),
    expect.stringMatching(
      /^wheel-1 +receipt +2026-11-20T10:14:00\.250Z +telemetryId 00000000-0000-4000-8000-000000000118$/,
    ),
    expect.stringMatching(
      /^wheel-2 +receipt +2026-11-20T10:14:00\.250Z +telemetryId 00000000-0000-4000-8000-000000000118$/,
    ),
    "Send again every fact that came after these: noonmark ingest FILE. What the ledger has is a duplicate.",
    "",
  ]);
  expect(textsOf()).toEqual(texts);
  expect(await rendered()).toEqual(before);

  await ingest([...tail.slice(2), receipt(280), ...tail.slice(0, 2)]);
  await publish();
  expect(textsOf().slice(0, texts.length)).toEqual(texts);
  expect(textsOf()).toHaveLength(texts.length + tail.length);
});

test("without a head or a checkpoint the log is restored from the other one", async () => {
  await ingest([module(), receipt(1)]);
  await publish();
  const texts = textsOf();
  for (const key of [CHECKPOINT, HEAD_KEY]) {
    const kept = await publicStore().get(key);
    await remove(key);
    lose();
    expect(await restore()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(textsOf()).toEqual(texts);
    if (kept !== undefined) await publicStore().put(key, kept);
  }
});

test("a ledger with the first entries gets the rest, and one that is ahead stays as it is", async () => {
  await ingest([module(), receipt(1), receipt(2)]);
  await ingest([module(), receipt(1)], "--ledger", "backup.db");
  await publish();
  const restored = await restore("--ledger", "backup.db");
  expect(restored).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("3 entries of the log; 1 of them are new"),
  });
  expect(textsOf("backup.db")).toEqual(textsOf());

  await ingest([receipt(3)]);
  expect(await restore()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("0 of them are new\nIt has 1 more that are not published.\n"),
  });
  expect(textsOf()).toHaveLength(4);
});

test.each<[string, readonly Json[]]>([["longer", [receipt(1), module(), receipt(2), receipt(3)]]])(
  "a ledger of another log that is %s is refused and not changed",
  async (_, records) => {
    await ingest(records, "--ledger", "other.db");
    await ingest([module(), receipt(1), receipt(2)]);
    await publish();
    const before = readFileSync(join(folder, "other.db"));
    const refused = await restore("--ledger", "other.db");
    expect(refused).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^noonmark: ledger_forked: the log was published with 3 entries, and the ledger /),
    });
    expect(readFileSync(join(folder, "other.db"))).toEqual(before);
  },
);

test.each<[string, () => Promise<void>, number, string]>([
  [
    "there is no store",
    async () => rmSync(join(folder, ".noonmark/public"), { recursive: true }),
    74,
    "store_unavailable",
  ],
  [
    "head and checkpoint are missing",
    async () => {
      await remove(HEAD_KEY);
      await remove(CHECKPOINT);
    },
    1,
    "never_published",
  ],
  ["a bundle is damaged", () => damage(BUNDLE), 74, `log_damaged: ${BUNDLE} is no bundle of 2 entries`],
  [
    "a bundle has other entries",
    () => putBundle(['{"a":1}', '{"a":2}']),
    74,
    "log_damaged: the stored entries do not have the published root",
  ],
  [
    "intake does not accept an entry",
    async () => {
      const texts = [textsOf()[0] as string, '{"type":"wheel"}'];
      await putBundle(texts);
      const tree = new GrowingTree();
      for (const text of texts) tree.append(text);
      const root = tree.root().toString("base64");
      await putHead(({ log }) => ({ log: { ...log, root } }));
    },
    1,
    "log_not_replayable: entry 1 of the log: unknown_type type: ",
  ],
])("if %s, the error says so and no ledger has facts", async (_, change, exitCode, says) => {
  await ingest([module(), receipt(1)]);
  await publish();
  await change();
  lose();
  const failed = await restore();
  expect(failed).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(`noonmark: ${says}`) });
  expect(existsSync(join(folder, LEDGER)) ? textsOf() : []).toEqual([]);
});

test("a ledger that another command is writing to is locked and keeps what it has", async () => {
  await ingest([module()]);
  await ingest([module(), receipt(1)], "--ledger", "whole.db");
  await run("publish", "--once", "--ledger", "whole.db");
  const other = openLedgerForIntake(join(folder, LEDGER));
  other.exec("BEGIN IMMEDIATE");
  expect(await restore()).toMatchObject({ exitCode: 75, stderr: expect.stringContaining("noonmark: ledger_locked: ") });
  other.close();
  expect(textsOf()).toHaveLength(1);
  expect(await restore()).toMatchObject({ exitCode: 0 });
  expect(textsOf()).toHaveLength(2);
});

describe("facts from a stream", () => {
  // The first reading rejects each closure, because its round comes later.
  const messages = [closure(1, 1), module(), receipt(1), closure(2, 2), round(2), receipt(2)];
  const refused = (code: string) => ({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(`noonmark: ${code}: `),
  });

  /** Publishes after three messages and again after all. The stored position is the first one. */
  async function publishTwice(): Promise<void> {
    take(messages.slice(0, 3));
    await publish();
    const { stream } = await storedHead();
    take(messages.slice(3));
    await publish();
    await putHead(() => ({ stream }));
  }

  test("a restored ledger goes on with the stream at the stored position and takes what the lost one took", async () => {
    await publishTwice();
    const [texts, position] = [textsOf(), positionOf()];
    lose();
    expect(await restore()).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: expect.stringMatching(
        /contains the first 2 of the 4 entries of the log; 2 of them are new\nThe stream FACTS has the others, from message 4 on: noonmark ingest --follow nats:\/\/HOST\/FACTS --subject facts\.>\n$/,
      ),
    });
    expect(await run("publish", "--once")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/ledger_behind.*The stream has the missing facts/s),
    });
    take(messages.slice(3));
    expect(textsOf()).toEqual(texts);
    expect(positionOf()).toEqual(position);
    expect(await restore()).toMatchObject(refused("ledger_follows_stream"));
  });

  test("on request every published fact is restored, and then nobody knows the position", async () => {
    await publishTwice();
    const texts = textsOf();
    lose();
    expect(await restore("--without-stream")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(textsOf()).toEqual(texts);
    expect(await restore()).toMatchObject(refused("stream_position_unknown"));
    expect(textsOf()).toEqual(texts);
    expect(positionOf()).toBeUndefined();
  });

  test("a key proves the log and not the position, so the operator must name the next message", async () => {
    const key = (await run("key", "generate", "wheel.example.org")).stdout.trim();
    writeFileSync(join(folder, "noonmark.json"), JSON.stringify({ ...SETTINGS, logKey: "log.key" }));
    take(messages.slice(0, 3));
    expect(await run("publish", "--once", "--publish-log")).toMatchObject({ exitCode: 0 });
    lose();
    for (const wrong of [[], ["--from-sequence", "5"]]) {
      expect(await restore("--log-key", key, ...wrong)).toMatchObject(refused("stream_position_unknown"));
      expect(existsSync(join(folder, LEDGER))).toBe(false);
    }
    expect(await restore("--log-key", key, "--from-sequence", "4")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(positionOf()).toMatchObject({ name: "FACTS", sequence: 3 });
    lose();
    expect(await restore("--log-key", key, "--without-stream")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(positionOf()).toBeUndefined();
  });

  test("a position counts only for its own log", async () => {
    await publishTwice();
    const { stream } = await storedHead();
    if (stream === null) throw new Error("the head has no position");
    for (const changed of [{ ...stream, size: 5 }, null]) {
      await putHead(() => ({ stream: changed }));
      lose();
      expect(await restore()).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining("the 4 entries of the log"),
      });
      expect(positionOf()).toBeUndefined();
    }
    await putHead(() => ({ stream: { ...stream, root: NO_LOG.root } }));
    lose();
    expect(await restore()).toMatchObject(refused("stream_position_unknown"));
    expect(positionOf()).toBeUndefined();
  });
});

/** Takes messages of one line each, as `ingest --follow nats://…` does. */
function take(lines: readonly Json[]): void {
  const ledger = openLedgerForIntake(join(folder, LEDGER));
  const stream = { name: "FACTS", subject: "facts.>", createdAt: "2026-11-20T10:00:00Z" };
  const after = startAfter(ledger, stream.name, stream.subject, undefined);
  attach(ledger, { ...stream, first: 1, last: after + lines.length, message: undefined }, after, undefined);
  const source = new StreamSource(after);
  const intake = new Intake(ledger, { source });
  for (const [index, line] of lines.entries()) {
    source.advance({ sequence: after + index + 1, time: 0, sha256: String(index) });
    intake.writeMessage(Buffer.from(JSON.stringify(line)));
  }
  intake.flush();
  ledger.close();
}

function positionOf() {
  const ledger = openLedgerForReading(join(folder, LEDGER));
  try {
    return readStreamPosition(ledger);
  } finally {
    ledger.close();
  }
}

function publicStore(): FilesystemStore {
  return new FilesystemStore(join(folder, ".noonmark/public"), { write: true });
}

async function storedHead(): Promise<Head> {
  const found = await readHead(publicStore());
  if (found?.head === undefined) throw new Error("there is no head");
  return found.head;
}

async function putHead(change: (head: Head) => Partial<Head>): Promise<void> {
  const head = await storedHead();
  await publicStore().put(HEAD_KEY, headObject({ ...head, ...change(head) }));
}

async function putBundle(texts: readonly string[]): Promise<void> {
  const body = encodeBundle(texts.map((text) => Buffer.from(text)));
  await publicStore().put(BUNDLE, { body, contentType: "application/octet-stream", metadata: {} });
}

async function remove(key: string): Promise<void> {
  rmSync(join(folder, ".noonmark/public", `${key}.http`));
}

async function damage(key: string): Promise<void> {
  writeFileSync(join(folder, ".noonmark/public", `${key}.http`), "damaged");
}
