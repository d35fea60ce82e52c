// A reader of a published log believes only entries that hash into a signed root.
import { beforeAll, expect, test } from "vitest";
import type { Checkpoint } from "../../src/log/checkpoint.ts";
import { PublicLog, readCheckpoint } from "../../src/log/public-log.ts";
import { entryText, LogPublisher, NAME, newSigner, sha256 } from "./support/published-log.ts";

const signer = newSigner();
const SIZES = [0, 1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 513, 600];
const coded = (code: string) => expect.objectContaining({ name: "LogError", code });

function published(size: number): { publisher: LogPublisher; checkpoint: Checkpoint; log: PublicLog } {
  const publisher = new LogPublisher({ signers: [signer] });
  const checkpoint = publisher.grow(size);
  return { publisher, checkpoint, log: new PublicLog(reader(publisher), checkpoint) };
}

function reader({ files }: LogPublisher, read: string[] = []) {
  return async (path: string) => {
    read.push(path);
    return files.get(path);
  };
}

async function textsOf(log: PublicLog, from?: number, to?: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const { index, text } of log.entries(from, to)) {
    expect(index).toBe((from ?? 0) + texts.length);
    texts.push(text);
  }
  return texts;
}

const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => entryText(from + at));

test.each(SIZES)("all %i entries are read and proved", async (size) => {
  const { log } = published(size);
  expect(await textsOf(log)).toEqual(texts(0, size));
});

test("each size's root is proved from the tiles of each later size", async () => {
  const { publisher } = published(600);
  for (const size of SIZES) {
    const { checkpoint, log } = published(size);
    for (const earlier of SIZES.filter((one) => one <= size)) {
      await log.requirePrefix({ ...checkpoint, size: earlier, root: publisher.rootAt(earlier) });
    }
  }
});

/** The smallest size of a log with three levels of tiles. */
const THREE_LEVELS = 65_537;
let threeLevels: ReturnType<typeof published>;
beforeAll(() => {
  threeLevels = published(THREE_LEVELS);
});

test("in a log of three levels a proof reads one tile of each level, and the right edge", async () => {
  const { publisher, checkpoint } = threeLevels;
  const read: string[] = [];
  const log = new PublicLog(reader(publisher, read), checkpoint);
  expect(await log.includes(65_535, Buffer.from(entryText(65_535)))).toBe(true);
  const edge = ["tile/0/256.p/1", "tile/2/000.p/1"];
  expect(read.toSorted()).toEqual(["tile/0/255", ...edge, "tile/1/000"].toSorted());
  expect(await log.includes(65_536, Buffer.from(entryText(65_536)))).toBe(true);
  expect(read.length).toBe(4);
  for (const size of [1, 256, 65_280, 65_535, 65_536, THREE_LEVELS]) {
    await log.requirePrefix({ ...checkpoint, size, root: publisher.rootAt(size) });
  }
});

test("a partial file that was deleted is replaced by the full one", async () => {
  const publisher = new LogPublisher({ signers: [signer] });
  const checkpoint = publisher.grow(300);
  publisher.grow(600);
  for (const path of ["tile/entries/001.p/44", "tile/0/001.p/44"]) publisher.files.delete(path);
  const log = new PublicLog(reader(publisher), checkpoint);
  expect(await textsOf(log)).toEqual(texts(0, 300));
});

test("each changed bit of each file of a log is found", async () => {
  const { publisher, checkpoint } = published(513);
  for (const [path, good] of new Map(publisher.files)) {
    if (path === "checkpoint") continue;
    for (const place of [0, 1, 2, good.length - 1]) {
      const bad = Uint8Array.from(good);
      bad[place] = (bad[place] ?? 0) ^ 0x10;
      publisher.files.set(path, bad);
      const log = new PublicLog(reader(publisher), checkpoint);
      await expect(textsOf(log), `${path} ${place}`).rejects.toThrow(/log_|entry|tile|bundle|root/);
    }
    publisher.files.set(path, good);
  }
  expect(await textsOf(new PublicLog(reader(publisher), checkpoint))).toEqual(texts(0, 513));
});

test.each([
  ["a bundle of another place", "tile/entries/000", "tile/entries/001", "log_damaged"],
  ["a tile of another place", "tile/0/000", "tile/0/001", "log_damaged"],
  ["a bundle of another width", "tile/entries/002.p/88", "tile/entries/000", "log_malformed"],
  ["a tile of another width", "tile/1/000.p/2", "tile/0/000", "log_malformed"],
])("%s is refused", async (_, path, source, code) => {
  const { publisher, log } = published(600);
  publisher.files.set(path, publisher.files.get(source) as Uint8Array);
  await expect(textsOf(log)).rejects.toThrow(coded(code));
});

test.each(["tile/0/000", "tile/0/002.p/88"])("a read of %s that fails once does not fail for ever", async (tile) => {
  const { publisher, checkpoint } = published(600);
  const read = reader(publisher);
  let failures = 2;
  const log = new PublicLog(async (path) => {
    if (path === tile && failures-- > 0) throw new Error("cut off");
    return read(path);
  }, checkpoint);
  await expect(textsOf(log)).rejects.toThrow("cut off");
  await expect(log.includes(0, Buffer.from(entryText(0)))).rejects.toThrow("cut off");
  expect(await textsOf(log)).toEqual(texts(0, 600));
});

test("entries that are not UTF-8 are refused", async () => {
  const root = sha256(Uint8Array.of(0, 0xff));
  const files = new Map<string, Uint8Array>([
    ["tile/0/000.p/1", root],
    ["tile/entries/000.p/1", Uint8Array.of(0, 1, 0xff)],
  ]);
  const checkpoint = { origin: `${NAME}/log`, size: 1, root: root.toString("base64") };
  await expect(textsOf(new PublicLog(async (path) => files.get(path), checkpoint))).rejects.toThrow(
    "entry 0 is not UTF-8",
  );
});

test.each([
  ["one entry is altered", 600, 10],
  ["the last entry is altered", 600, 299],
  ["the log is shorter", 200, 999],
])("a log that was rewritten is found: %s", async (_, size, altered) => {
  const { checkpoint: remembered } = published(300);
  const rewritten = new LogPublisher({
    signers: [signer],
    textOf: (index) => (index === altered ? '{"rewritten":true}' : entryText(index)),
  });
  const log = new PublicLog(reader(rewritten), rewritten.grow(size));
  await expect(log.requirePrefix(remembered)).rejects.toThrow(coded("log_rewritten"));
});

test("a checkpoint of another log is not an earlier one", async () => {
  const { log, checkpoint } = published(2);
  await expect(log.requirePrefix({ ...checkpoint, origin: "other.example/log" })).rejects.toThrow(
    `the log was other.example/log and is now ${NAME}/log`,
  );
});

test("a checkpoint is read with the key that signed it", async () => {
  const { publisher, checkpoint } = published(3);
  const known = [signer.verifier];
  expect(await readCheckpoint(reader(publisher), known)).toEqual(checkpoint);
  await expect(readCheckpoint(reader(publisher), [newSigner().verifier])).rejects.toThrow(coded("log_unsigned"));
  await expect(readCheckpoint(async () => undefined, known)).rejects.toThrow(coded("log_incomplete"));
});

test("a checkpoint with the origin of another key is refused, though a known key signed it", async () => {
  const publisher = new LogPublisher({ signers: [newSigner("other.example"), signer] });
  publisher.grow(1);
  await expect(readCheckpoint(reader(publisher), [signer.verifier])).rejects.toThrow(
    `the checkpoint is of other.example/log, not of ${NAME}/log`,
  );
});
