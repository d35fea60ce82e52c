/** Go's golang.org/x/mod, which knows nothing of Noonmark, judges published logs and finds planted faults. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { verifierKey } from "../../src/log/note.ts";
import { type Signer, signNote } from "../../src/log/signer.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { entryText, LogPublisher, NAME, newSigner } from "../log/support/published-log.ts";
import { START, World } from "../publish/world.ts";
import { sharedFolder, testFolder } from "../support/test-folder.ts";
import { startNginx } from "./nginx.ts";
import { allowReading, originsOver } from "./scenes/published-world.ts";
import { s3Store } from "./stores/s3-store.ts";
import { useS3Server } from "./use-servers.ts";
import { startVarnish } from "./varnish.ts";

const root = sharedFolder();
const JUDGE = join(root, "judge");
const signer = newSigner();
const KEY = verifierKey(signer.verifier);
const server = useS3Server();

/** Debian's golang-golang-x-mod-dev; no network. */
const GO = {
  ...process.env,
  GO111MODULE: "off",
  GOPATH: "/usr/share/gocode",
  GOCACHE: join(root, "cache"),
  GOPROXY: "off",
};

beforeAll(() => {
  execFileSync("go", ["build", "-o", JUDGE, join(import.meta.dirname, "log-judge/judge.go")], { env: GO });
});

function written(files: ReadonlyMap<string, Uint8Array>): string {
  const folder = testFolder();
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return folder;
}

interface Judged {
  readonly base: string;
  readonly keys?: readonly string[];
  /** Earlier checkpoints. */
  readonly remembered?: readonly Uint8Array[];
}

function judgement({ base, keys = [KEY], remembered = [] }: Judged) {
  const folder = testFolder();
  const files = remembered.map((note, at) => {
    const file = join(folder, String(at));
    writeFileSync(file, note);
    return file;
  });
  const options = [...keys.flatMap((key) => ["-key", key]), ...files.flatMap((file) => ["-remembered", file])];
  const { status, stdout, stderr } = spawnSync(JUDGE, ["-origin", `${NAME}/log`, ...options, base], {
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

function noteOf({ files }: LogPublisher): Uint8Array {
  return files.get("checkpoint") as Uint8Array;
}

test.each([0, 1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537])("a log of %i entries is right", (size) => {
  const publisher = new LogPublisher({ signers: [signer] });
  const { root } = publisher.grow(size);
  const { status, said } = judgement({ base: written(publisher.files) });
  expect({ status, said }).toEqual({ status: 0, said: expect.stringContaining(`${NAME}/log ${size} ${root}: `) });
  expect(said).toContain(` ${size} entries, ${size === 0 ? 0 : 102} proofs, 0 pairs`);
});

test.each<[string, Plant, string]>([
  ["a flipped bit in an entry", flip("tile/entries/001", 40), "the entries have the root"],
  ["a flipped bit in a tile of leaves", flip("tile/0/000", 40), "tile/0/000 is not of this tree"],
  ["a flipped bit in a partial tile", flip("tile/0/002.p/88", 40), "tile/0/002.p/88 is not of this tree"],
  ["a flipped bit in a tile of level 1", flip("tile/1/000.p/2", 40), "tile/1/000.p/2 is not of this tree"],
  ["the bundle of another place", copy("tile/entries/000", "tile/entries/001"), "the entries have the root"],
  ["the bundle of another log", otherBundle, "the entries have the root"],
  ["a bundle with an entry more", append("tile/entries/000"), "tile/entries/000 has 2 bytes after its entries"],
  ["a bundle that is cut off", cut("tile/entries/002.p/88"), "tile/entries/002.p/88 ends within entry 87"],
  ["a tile that is cut off", cut("tile/0/001"), "tile/0/001 is not of this tree"],
  ["no bundle", ({ files }) => files.delete("tile/entries/001"), "no such file"],
  ["no tile", ({ files }) => files.delete("tile/1/000.p/2"), "no such file"],
  ["a checkpoint with another root", (log) => log.putCheckpoint(600, log.rootAt(599)), "the entries have the root"],
  ["a checkpoint that is ahead of its files", (log) => log.putCheckpoint(601, log.rootAt(600)), "no such file"],
  ["a checkpoint of another key", (log) => sign(log, newSigner()), "note has no verifiable signatures"],
  ["a checkpoint of another name", (log) => sign(log, newSigner("other.example")), "note has no verifiable"],
  ["a changed text under the signature", flip("checkpoint", NAME.length + 6), "invalid signature for key"],
])("a log with %s is refused", (_, plant, message) => {
  const publisher = new LogPublisher({ signers: [signer] });
  publisher.grow(600);
  plant(publisher);
  const { status, said } = judgement({ base: written(publisher.files) });
  expect({ status, said }).toEqual({ status: 1, said: expect.stringContaining(message) });
});

test("a log that was rewritten or shortened is refused by who remembers it", () => {
  const publisher = new LogPublisher({ signers: [signer] });
  publisher.grow(600);
  const remembered = [noteOf(publisher)];
  const shortened = new LogPublisher({ signers: [signer] });
  shortened.grow(599);
  expect(judgement({ base: written(shortened.files), remembered })).toEqual({
    status: 1,
    said: "the log had 600 entries, now 599\n",
  });
  for (const size of [600, 700]) {
    const rewritten = new LogPublisher({ signers: [signer], textOf: (at) => (at === 5 ? "{}" : entryText(at)) });
    rewritten.grow(size);
    const { status, said } = judgement({ base: written(rewritten.files), remembered });
    expect({ status, said }).toEqual({ status: 1, said: expect.stringMatching(/two roots of size 600|consistency/) });
  }
});

/**
 * Grows a log over the borders of tiles. At each size the judge reads it at `base`, and compares it with all earlier
 * checkpoints.
 */
async function judgeGrowing(store: ObjectStore, base: string): Promise<string> {
  const world = new World();
  const folder = testFolder();
  const remembered: string[] = [];
  try {
    for (const [step, count] of [1, 254, 1, 1, 300, 600].entries()) {
      world.receive(count);
      const worker = await world.work({ store, signers: [signer] });
      await worker.cycle(START + (step + 1) * 4_000_000);
      await worker.stop();
      const checkpoint = await store.get("log/checkpoint");
      const file = join(folder, String(step));
      writeFileSync(file, checkpoint?.body ?? "");
      remembered.push("-remembered", file);
    }
    const given = ["-key", KEY, "-origin", `${NAME}/log`, ...remembered, `${base}/log/`];
    return (await promisify(execFile)(JUDGE, given)).stdout;
  } finally {
    world.end();
  }
}

/** The publisher's clock is that of the world, so it is not compared with the server's. */
function withoutClock(store: ObjectStore): ObjectStore {
  return {
    name: store.name,
    get: (key, options) => store.get(key, options),
    put: (key, object, condition) => store.put(key, object, condition),
    delete: (key) => store.delete(key),
    list: (prefix) => store.list(prefix),
  };
}

const JUDGED = /^wheel\.example\.org\/log 1157 \S+ 6 tiles, 1157 entries, 102 proofs, 21 pairs\n$/;

test("a bucket: read without a front, by the shim, through nginx and through Varnish", async () => {
  await allowReading(server());
  const store = s3Store(server());
  const world = await originsOver(server(), store);
  const { bucket } = world.origins;
  const fronts = [await startNginx(world.origins), await startVarnish(world.origins)];
  const direct = `http://${bucket.host}:${bucket.port}${bucket.path}`.replace(/\/$/, "");
  const urls = [direct, ...[world.shim, ...fronts].map(({ port }) => `http://127.0.0.1:${port}`)];
  try {
    const said = await judgeGrowing(withoutClock(store), direct);
    expect(said).toMatch(JUDGED);
    const given = ["-key", KEY, "-origin", `${NAME}/log`];
    for (const url of urls) {
      const { stdout } = await promisify(execFile)(JUDGE, [...given, `${url}/log/`]);
      expect(stdout, url).toContain(" 1157 entries, 102 proofs, 0 pairs");
    }
  } finally {
    await Promise.all(fronts.map((front) => front.stop()));
    await world.stop();
  }
});

type Plant = (publisher: LogPublisher) => void;

function change(path: string, changed: (bytes: Uint8Array) => Uint8Array): Plant {
  return ({ files }) => {
    files.set(path, changed(Uint8Array.from(files.get(path) as Uint8Array)));
  };
}

function flip(path: string, at: number): Plant {
  return change(path, (bytes) => bytes.map((byte, place) => (place === at ? byte ^ 1 : byte)));
}

function append(path: string): Plant {
  return change(path, (bytes) => Buffer.concat([bytes, Buffer.alloc(2)]));
}

function cut(path: string): Plant {
  return change(path, (bytes) => bytes.subarray(0, -1));
}

function copy(from: string, to: string): Plant {
  return ({ files }) => files.set(to, files.get(from) as Uint8Array);
}

function otherBundle({ files }: LogPublisher): void {
  const other = new LogPublisher({ signers: [signer], textOf: (index) => `{"other":${index}}` });
  other.grow(600);
  files.set("tile/entries/001", other.files.get("tile/entries/001") as Uint8Array);
}

/** Replaces the signatures of the checkpoint. */
function sign({ files }: LogPublisher, other: Signer): void {
  const [text] = Buffer.from(files.get("checkpoint") as Uint8Array)
    .toString()
    .split("\n\n");
  files.set("checkpoint", Buffer.from(signNote(`${text}\n`, [other])));
}
