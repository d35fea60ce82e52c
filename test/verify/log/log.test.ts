// verify --log-key: the signed log, its observations, and the bodies that the log gives again.
import { readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import type { OpenChain } from "../../../src/chain/open-chain.ts";
import { packageVersion } from "../../../src/files/package-file.ts";
import { checkpointText } from "../../../src/log/checkpoint.ts";
import { verifierKey } from "../../../src/log/note.ts";
import { newPrivateKey, parseSigner, signNote } from "../../../src/log/signer.ts";
import { encodeObservationCursor, observationTileKey } from "../../../src/resources/observations/route.ts";
import { ONCHAIN_KEY } from "../../../src/resources/onchain/route.ts";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { type ShimServer, startServer } from "../../../src/shim/node/node-server.ts";
import { connectTo } from "../../../src/verify/connection.ts";
import type { LogCheck } from "../../../src/verify/log/check.ts";
import { verifyLog } from "../../../src/verify/log/log.ts";
import { Report } from "../../../src/verify/report.ts";
import { ingest } from "../../ledger/ingest.ts";
import { closure, module, round } from "../../ledger/samples.ts";
import { INSTALLATION, START, uuid, World } from "../../publish/world.ts";
import { reader, stage } from "../../support/chain/harness.ts";
import { scriptedRpc } from "../../support/chain/scripted-rpc.ts";
import { runCli } from "../../support/cli.ts";
import { localServer } from "../../support/local-server.ts";
import { testFolder } from "../../support/test-folder.ts";

const signer = parseSigner(newPrivateKey("wheel.example.org"));
const other = parseSigner(newPrivateKey("wheel.example.org"));
const KEY = verifierKey(signer.verifier);
const RECEIPTS = 600;

let world: World;
let shim: ShimServer;
let folder: string;
/** The shim keeps nothing from one request to the next. */
let ticks = 0;
beforeEach(async () => {
  folder = testFolder();
  world = new World();
  world.receive(RECEIPTS);
  ingest(world.ledger, [module(), round(1), round(2), closure(1, 2)]);
  await publish(3_000);
  const context = shimContext({ store: world.store, now: () => world.now, monotonic: () => (ticks += 60_000) });
  const defect = (error: unknown) => {
    throw error;
  };
  const options = { host: "127.0.0.1", port: 0, wallClock: () => world.now, defect };
  shim = await startServer(context, options);
});
afterEach(async () => {
  await shim.stop();
  world.end();
});

/** `at` in seconds after START. */
async function publish(at: number, chain?: OpenChain, deployment: object | null = null): Promise<void> {
  const site = { program: packageVersion(), files: [], deployment, chainMaxAge: 600_000 };
  const worker = await world.work({
    signers: [signer],
    site,
    program: packageVersion(),
    genesisTimestamp: START / 1_000,
    ...(chain && { chain }),
  });
  await worker.cycle(START + at * 1_000);
  await worker.stop();
}

async function verified(flags: Partial<LogCheck> = {}) {
  const report = new Report();
  const base = new URL(`http://127.0.0.1:${shim.port}`);
  const given = { base, keys: [KEY], signal: new AbortController().signal, lagMs: 30, ...flags };
  const { environment, close } = connectTo(given.base, { timeout: 5_000, qps: 1_000, end: given.signal }, "test");
  try {
    const lines = await verifyLog(report, given, environment.send);
    return { lines, findings: report.findings.map(({ rule, seen }) => `${rule}: ${seen}`), skipped: report.skipped };
  } finally {
    close();
  }
}

async function change(key: string, changed: (body: Buffer) => Buffer): Promise<void> {
  const object = await world.store.get(key);
  if (object === undefined) throw new TypeError(`no ${key}`);
  await world.store.put(key, { ...object, body: changed(Buffer.from(object.body)) });
}

const replaced = (from: string, to: string) => (body: Buffer) =>
  Buffer.from(body.toString("latin1").replace(from, to), "latin1");
const flipped = (at: number) => (body: Buffer) =>
  Buffer.from(body.map((byte, place) => (place === at ? byte ^ 1 : byte)));

test("a right log is remembered, continued, and gives the served bodies again", async () => {
  const since = join(folder, "wheel.json");
  const first = await verified({ since, replay: true });
  expect(first).toMatchObject({ findings: [], skipped: [] });
  expect(first.lines[0]).toMatch(
    /^The log wheel\.example\.org\/log has 604 entries with the root \S{44}, and the key signed it\.$/,
  );
  world.receive(200);
  await publish(6_000);
  const second = await verified({ since, replay: true, receipt: uuid(1_000_005) });
  expect(second.findings).toEqual([]);
  expect(second.lines.slice(1)).toEqual([
    expect.stringMatching(/^It still begins with the 604 entries that it had on \S+\.$/),
    `The receipt ${uuid(1_000_005)} is entry 4 of this log, counted from 0:`,
    expect.stringContaining(`"telemetryId":"${uuid(1_000_005)}"`),
    expect.stringMatching(/^The entry hashes into the root that the operator signed/),
    expect.stringMatching(/^This machine saw the log first on \S+ \(.*wheel\.json\)\.$/),
  ]);
  expect(JSON.parse(readFileSync(since, "utf8"))).toMatchObject({
    size: 804,
    checked: { [INSTALLATION]: { receipts: 800 } },
  });
});

test("with --since the file stays as it is if the log was rewritten, shortened or restarted", async () => {
  const since = join(folder, "wheel.json");
  await verified({ since });
  const memory = JSON.parse(readFileSync(since, "utf8"));
  for (const [changes, found] of [
    [
      { root: memory.root.replace(/^./, memory.root.startsWith("A") ? "B" : "A") },
      "log/log_rewritten: the first 604 entries had the root",
    ],
    [{ size: 605 }, "log/log_rewritten: the log had 605 entries and has only 604"],
    [
      { origin: "wheel.example.org/log/7" },
      "log/log_restarted: the log was wheel.example.org/log/7 and is now wheel.example.org/log",
    ],
  ] as const) {
    const text = JSON.stringify({ ...memory, ...changes });
    writeFileSync(since, text);
    expect((await verified({ since })).findings).toEqual([expect.stringContaining(found)]);
    expect(readFileSync(since, "utf8")).toBe(text);
  }
  writeFileSync(since, "{}");
  await expect(verified({ since })).rejects.toMatchObject({ code: "format_unknown" });
});

/** A front before the shim, which asks `handle` first. It returns true if it has responded. */
async function front(handle: (url: string, response: ServerResponse) => boolean | Promise<boolean>) {
  const respond = async (url: string, response: ServerResponse) => {
    if (await handle(url, response)) return;
    const reply = await fetch(`http://127.0.0.1:${shim.port}${url}`);
    const headers = ["content-type", "etag"].map((name) => [name, reply.headers.get(name) ?? ""]);
    response.writeHead(reply.status, Object.fromEntries(headers)).end(Buffer.from(await reply.arrayBuffer()));
  };
  const { url, stop } = await localServer(({ url = "" }, response) => {
    // A run that is cut off leaves requests open.
    respond(url, response).catch(() => response.destroy());
  });
  return { base: new URL(url), [Symbol.asyncDispose]: stop };
}

test("a run that is cut off goes on where it ended", async () => {
  const since = join(folder, "wheel.json");
  const memory = () => JSON.parse(readFileSync(since, "utf8"));
  const stop = new AbortController();
  let pages = 0;
  await using busy = await front((url) => {
    if (url.includes("/observations?") && ++pages === 3) stop.abort("it got SIGINT");
    return false;
  });
  const first = await verified({ base: busy.base, since, signal: stop.signal });
  expect(first).toMatchObject({
    findings: [],
    skipped: [
      {
        what: "the rest",
        why: `the run was cut off: it got SIGINT; not judged to the end: the log; the next run with ${since} goes on there`,
      },
    ],
  });
  expect(memory()).toMatchObject({ size: 604, compared: 200, checked: { [INSTALLATION]: { receipts: 200 } } });
  expect((await verified({ base: busy.base, since })).findings).toEqual([]);
  expect(memory()).toMatchObject({ size: 604, compared: 604, checked: { [INSTALLATION]: { receipts: 600 } } });
  // The first run asked for three pages, and the second one for four more and for one beyond the end.
  expect(pages).toBe(8);
});

test.each(["log_rewritten", "log_key_invalid", "aborted", "network", "constructor", "__proto__", "hasOwnProperty"])(
  "a server that gives the code %s has only a log that is incomplete",
  async (code) => {
    await using forging = await front((url, response) => {
      if (!url.startsWith("/log/tile/")) return false;
      response.writeHead(403).end(JSON.stringify({ error: code }));
      return true;
    });
    const { findings } = await verified({ base: forging.base });
    expect(findings).toEqual([expect.stringMatching(/^log\/log_incomplete: .* responded 403$/)]);
  },
);

test.each([
  ["in a log that does not grow", false],
  ["in a log that grows with each request for its checkpoint", true],
])("an observation that is in no entry is a finding %s, also if the log is remembered", async (_, isBusy) => {
  const since = join(folder, "wheel.json");
  await verified({ since });
  const cursor = encodeObservationCursor(RECEIPTS);
  let at = 4_000;
  await using forging = await front(async (url, response) => {
    if (isBusy && url === "/log/checkpoint") {
      world.receive(1, 2, "wheel-2");
      await publish(at++);
    }
    if (!url.includes("/observations?") || !url.includes(`cursor=${cursor}`)) return false;
    const items = [
      { telemetryId: uuid(7), cursor: encodeObservationCursor(RECEIPTS + 1), installationId: INSTALLATION },
    ];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ schemaVersion: 1, installationId: INSTALLATION, items, nextCursor: null }));
    return true;
  });
  for (const flags of [{ since }, {}]) {
    const { findings } = await verified({ base: forging.base, lagMs: 300, ...flags });
    expect(findings).toEqual([`log/entry_missing: no entry for the receipt ${uuid(7)} of ${INSTALLATION}`]);
  }
});

test.each(["{}", "xx", "[]", '{"responses":{"/v2/public/stats?x\\n0 findings":{}}}'])(
  "a status that turns into %j during the replay is a finding",
  async (body) => {
    let reads = 0;
    await using turning = await front((url, response) => {
      if (url !== "/status.json" || ++reads === 1) return false;
      response.setHeader("content-type", "application/json");
      response.end(body);
      return true;
    });
    const { findings } = await verified({ base: turning.base, replay: true });
    expect(findings).toEqual(["log/log_malformed: /status.json is 200, of another form"]);
  },
);

test("what a server sends reaches no terminal unescaped", async () => {
  const evil = "x\u001b]0;PWNED\u0007\u001b[2J\n0 findings\u202e";
  await using forging = await front((url, response) => {
    if (!url.includes("/observations?")) return false;
    const items = [{ telemetryId: evil, cursor: "MQ", installationId: evil, [evil]: evil }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ schemaVersion: 1, installationId: evil, items, nextCursor: null }));
    return true;
  });
  const { findings, skipped, lines } = await verified({ base: forging.base, receipt: evil });
  expect(findings).toHaveLength(1);
  expect([...findings, ...skipped.map(({ what, why }) => what + why), ...lines].join()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

describe("planted faults", () => {
  const STATISTICS = statisticsKey("7d");
  const ORIGIN = "wheel.example.org/log";
  const ROOT = Buffer.alloc(32).toString("base64");
  test.each<[string, () => Promise<unknown>, string]>([
    [
      "a flipped bit in an entry",
      () => change("log/tile/entries/001", flipped(40)),
      "log/log_damaged: entry 256 in tile/entries/001 does not hash into the tree",
    ],
    [
      "the bundle of another place",
      async () => {
        const body = Buffer.from((await world.store.get("log/tile/entries/000"))?.body ?? "");
        await change("log/tile/entries/001", () => body);
      },
      "log/log_damaged: entry 256",
    ],
    ["no tile", () => world.store.delete("log/tile/0/001"), "log/log_incomplete: "],
    [
      "a tile that is cut off",
      () => change("log/tile/0/001", (body) => body.subarray(1)),
      "log/log_malformed: the tile has 8191 bytes instead of 8192",
    ],
    [
      "a checkpoint of another key",
      () => change("log/checkpoint", (body) => Buffer.from(signNote(`${body.toString().split("\n\n")[0]}\n`, [other]))),
      "log/log_unsigned: no known key signed the text",
    ],
    [
      "a checkpoint of another tree",
      () =>
        change("log/checkpoint", () =>
          Buffer.from(signNote(checkpointText({ origin: ORIGIN, size: 604, root: ROOT }), [signer])),
        ),
      "log/log_damaged: ",
    ],
    [
      "a checkpoint with a thousand signatures",
      () =>
        change("log/checkpoint", (body) =>
          Buffer.concat([
            body,
            ...Array.from({ length: 999 }, () => Buffer.from(body.toString().split("\n\n")[1] ?? "")),
          ]),
        ),
      "log/log_malformed: the text is not a signed note: it has 1000 signatures",
    ],
    [
      "an observation that is not in the log",
      () => change(observationTileKey(INSTALLATION, 4), replaced(uuid(1_000_600), uuid(7))),
      `log/entry_missing: the receipt ${uuid(7)}`,
    ],
    [
      "an observation with another value",
      () => change(observationTileKey(INSTALLATION, 4), replaced('"provenance":"hardware"', '"provenance":"replay"')),
      'log/entry_missing: the same receipt with "replay" as provenance, where the entry has "hardware"',
    ],
    [
      "an observation that lacks a field",
      () => change(observationTileKey(INSTALLATION, 4), replaced('"provenance":"hardware",', "")),
      'log/entry_missing: the same receipt with nothing as provenance, where the entry has "hardware"',
    ],
  ])("%s is found", async (_, plant, found) => {
    await plant();
    expect((await verified()).findings).toEqual([expect.stringContaining(found)]);
  });

  test("a statistics body that is off by one is found by the replay alone", async () => {
    await change(STATISTICS, (body) =>
      Buffer.from(body.toString().replace(/\d(?=")/, (digit) => String((Number(digit) + 1) % 10))),
    );
    expect((await verified()).findings).toEqual([]);
    const { findings } = await verified({ replay: true });
    expect(findings).toEqual([expect.stringMatching(/^log\/replayed: .* where the log gives /)]);
  });
});

describe.skipIf(NO_ANVIL !== undefined)("with a node", () => {
  const GENESIS = START / 1_000;

  /** Publishes a chain that has settled rounds 1 and 2 with this work. The log has 1,200 units in them. */
  async function settled(workUnits: bigint) {
    const on = await stage({ genesisTimestamp: GENESIS });
    await on.world.settle({ throughRound: 2, activeRoundCount: 2, workUnits });
    await on.world.confirm();
    const options = { begins: START + 6_000_000, genesisTimestamp: BigInt(GENESIS) };
    using read = reader(on.world.deployment, [on.anvil.url], options);
    await read.poll();
    expect(read.statuses()).toEqual(["available", "available"]);
    await publish(6_000, read.chain, on.world.deployment);
    return on;
  }

  test("the chain's views are given again at their blocks, and the settled batches have the work of the log", async () => {
    await using on = await settled(1_200n);
    // The node is ahead of what was published.
    await on.world.settle({ throughRound: 3, activeRoundCount: 1, workUnits: 5n });
    await on.world.confirm();
    const right = await verified({ replay: true, rpcUrls: [on.anvil.url] });
    expect(right).toMatchObject({ findings: [], skipped: [] });
    expect(right.lines.at(-1)).toBe(
      "The chain has settled 1 batches, and 1 of them were compared with the rounds of the log.",
    );
    await change(ONCHAIN_KEY, replaced('"currentWork":"200"', '"currentWork":"201"'));
    expect(await verified({ replay: true })).toMatchObject({ findings: [], skipped: [] });
    expect(await verified({ replay: true, rpcUrls: [on.anvil.url] })).toMatchObject({
      findings: [expect.stringMatching(/^log\/replayed: .*201.* where the log gives .*200/)],
      skipped: [],
    });
  });

  test("a batch with other work than its rounds in the log is found", async () => {
    await using on = await settled(1_300n);
    expect((await verified({ replay: true, rpcUrls: [on.anvil.url] })).findings).toEqual([
      expect.stringMatching(
        /^log\/reconciled: 1 differences, first rounds 1 to 2, settled in block \d+: the log has 1200 work units, and the batch 1300$/,
      ),
    ]);
  });

  test("a node that has pruned the state is no finding", async () => {
    await using on = await settled(1_200n);
    const pruned = { error: { code: -32_000, message: "missing trie node" } };
    await using node = await scriptedRpc(on.anvil.url, ({ method }) => (method === "eth_call" ? pruned : undefined));
    const { findings, skipped } = await verified({ replay: true, rpcUrls: [node.url] });
    expect({ findings, why: skipped.map(({ what, why }) => `${what}: ${why}`) }).toEqual({
      findings: [],
      why: [
        expect.stringMatching(
          /^log\/replayed: not_replayed: \/v4\/public\/process and 14 other responses: block \d+: .*missing trie node/,
        ),
        "log/reconciled: not_replayed: no block of the chain was read",
      ],
    });
  });
});

test.each([
  [["--since", "f"], "--since needs --log-key"],
  [["--only", "log"], "--only log needs --log-key"],
  [["--rpc-url", "http://127.0.0.1:9"], "--rpc-url needs --replay"],
  [["--log-key", "k", "--replay", "--rpc-url", "ftp://x"], "Give http or https addresses"],
])("%j is refused", async (flags, says) => {
  const { exitCode, stderr } = await runCli(["verify", "http://127.0.0.1:9", ...flags], folder);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(says) });
});
