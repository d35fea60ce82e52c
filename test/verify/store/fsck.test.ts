/**
 * fsck finds planted damages of twelve kinds (NOONTEST_DAMAGES of a private log, 72 by default). Afterwards `publish
 * --once --force` heals each, except for foreign files.
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HEAD_KEY, INSTALLATIONS_KEY } from "../../../src/http/keys.ts";
import { newPrivateKey, parseSigner } from "../../../src/log/signer.ts";
import { countedStore } from "../../../src/object-store/counted-store.ts";
import { fileOfKey } from "../../../src/object-store/filesystem/format.ts";
import type { ObjectStore, StoreObject } from "../../../src/object-store/object-store.ts";
import { observationTileKey } from "../../../src/resources/observations/route.ts";
import { fsck } from "../../../src/verify/store/fsck.ts";
import { type Damaged, FsckWorld, PUBLISHED } from "./fsck-world.ts";

/** Plants a damage of one object; false if this object cannot have it. */
type Plant = (damaged: Damaged, key: string, world: FsckWorld) => boolean | Promise<boolean>;

const bytes =
  (change: (bytes: Buffer) => Buffer): Plant =>
  (damaged, key) =>
    damaged.bytes(key, change);
/** An object with a right seal and wrong content, as of a defect of the publisher. */
const sealed =
  (change: (object: StoreObject, text: string) => Partial<StoreObject> & { text?: string }): Plant =>
  (damaged, key) =>
    damaged.change(key, change).then(() => true);

const isBinary = (key: string) => key.includes("/tile/");

const FOREIGN = "a foreign file beside it";
const beside = (key: string) => key.replace(/[^/]*$/, (name) => `other-${name.length}-${key.length}`);

const KINDS: Readonly<Record<string, Plant>> = {
  "cut off": bytes((all) => all.subarray(0, all.length - 5)),
  emptied: bytes(() => Buffer.alloc(0)),
  "one bit of the body": bytes((all) => Buffer.from(all.map((byte, at) => (at === all.length - 3 ? byte ^ 1 : byte)))),
  "one digit of the metadata": bytes((all) =>
    Buffer.from(
      all.toString("latin1").replace(/x-meta-[a-z-]+: .{0,9}?\d/, (line) => `${line}7`),
      "latin1",
    ),
  ),
  "another program's bytes": bytes(() => Buffer.from("<html>not found</html>\n\n")),
  missing: (damaged, key) => damaged.store.delete(key).then(() => true),
  "another object's file": (damaged, key) => {
    const other = key === INSTALLATIONS_KEY ? HEAD_KEY : INSTALLATIONS_KEY;
    cpSync(join(damaged.directory, fileOfKey(other)), join(damaged.directory, fileOfKey(key)));
    return true;
  },
  "the version before": (damaged, key, { older }) => {
    const [from, to] = [join(older, fileOfKey(key)), join(damaged.directory, fileOfKey(key))];
    // The head is what the publisher says. An older one is for the publisher to find.
    // Nobody says which telemetry of another installation is the newest.
    if (
      key === HEAD_KEY ||
      key.endsWith("~wheel-2/telemetry") ||
      !existsSync(from) ||
      readFileSync(from).equals(readFileSync(to))
    )
      return false;
    cpSync(from, to);
    return true;
  },
  "another content type": (damaged, key, world) =>
    isBinary(key) || !/^(?:v\d|site)\//.test(key) || /observations|tiles/.test(key)
      ? false
      : sealed(() => ({ contentType: "text/plain+x" }))(damaged, key, world),
  "a cut body under a right seal": (damaged, key, world) =>
    sealed(({ body }) => ({ body: body.subarray(0, body.length - 3) }))(damaged, key, world),
  "another digit under a right seal": (damaged, key, world) =>
    !/observations|tiles\/|site\/|tile\/0/.test(key)
      ? false
      : sealed(({ body }) => ({
          body: Buffer.from(body.map((byte, at) => (at === Math.max(0, body.length - 9) ? byte ^ 1 : byte))),
        }))(damaged, key, world),
  [FOREIGN]: (damaged, key) => {
    writeFileSync(join(damaged.directory, fileOfKey(beside(key))), "{}");
    return true;
  },
};

/** Their damage changes how everything else is healed. So each is healed alone. */
const isAlone = (key: string) => key === HEAD_KEY || key === INSTALLATIONS_KEY || key.includes("log/");

/** Without an object that names others, nobody can say what they should be. */
const FAMILIES: readonly RegExp[] = [
  /^v1\/public\/(?:telemetry$|installations\/~wheel-1)/,
  /^v1\/public\/installations\/~wheel-2/,
  /^v1\/public\/activity\/(?:all|protocol|players|measurement)/,
  /^site\//,
  /^v4\/public\/onchain/,
];
function familyOf(key: string): string {
  const at = FAMILIES.findIndex((pattern) => pattern.test(key));
  return at === -1 ? key : `${at} ${at === 2 ? FAMILIES[2]?.exec(key)?.[0] : ""}`;
}
/** A partial file of the log that a longer one has replaced. */
const isReplaced = (key: string, all: ReadonlySet<string>) => {
  const [, place = key, width] = /^(.*)\.p\/(\d+)$/.exec(key) ?? [];
  const longer = [...all].map((other) => /^(.*)\.p\/(\d+)$/.exec(other)).filter((found) => found?.[1] === place);
  return width !== undefined && (all.has(place) || longer.some((found) => Number(found?.[2]) > Number(width)));
};

describe.each([
  ["private", Number(process.env.NOONTEST_DAMAGES ?? 72), []],
  ["public", 60, [parseSigner(newPrivateKey("wheel.example.org"))]],
] as const)("with a %s log", (_, count, signers) => {
  const world = new FsckWorld(signers);
  const keys: string[] = [];
  beforeAll(async () => {
    await world.publish();
    const all = new Set<string>();
    for await (const key of world.copy().store.list("")) all.add(key);
    keys.push(...[...all].filter((key) => !isReplaced(key, all)));
    keys.sort();
  });
  afterAll(() => world.end());

  test("fsck finds nothing in a publisher's store", async () => {
    const { objects, findings } = await world.copy().fsck();
    expect(findings).toEqual([]);
    expect(objects).toBeGreaterThan(40);
  });

  test(`${count} planted damages of twelve kinds are found, and --force heals each`, async () => {
    const groups: { copy: Damaged; planted: Map<string, string> }[] = [];
    let planted = 0;
    for (let turn = 0; planted < count; turn++) {
      const [kind = "", plant] = Object.entries(KINDS)[turn % 12] ?? [];
      const key = keys[(turn + Math.floor(turn / 12) * 5) % keys.length] ?? "";
      const isFree = ({ planted }: (typeof groups)[number]) =>
        [...planted.keys()].every((other) => !isAlone(other) && !isAlone(key) && familyOf(other) !== familyOf(key));
      let group = groups.find(isFree);
      if (group === undefined) groups.push((group = { copy: world.copy(), planted: new Map() }));
      if ((await plant?.(group.copy, key, world)) !== true) continue;
      group.planted.set(key, kind);
      planted++;
    }
    const missed: string[] = [];
    const left: string[] = [];
    for (const { copy, planted } of groups) {
      const { findings } = await copy.fsck();
      const found = new Set(findings.map(({ key }) => key));
      const stays = new Set<string>();
      for (const [key, kind] of planted) {
        const at = kind === FOREIGN ? beside(key) : key;
        if (!found.has(at)) missed.push(`${kind}: ${key}`);
        if (kind === FOREIGN) stays.add(at);
      }
      await world.force(copy.store);
      const after = (await copy.fsck(PUBLISHED + 300_000)).findings.filter(({ key }) => !stays.has(key));
      if (after.length > 0) left.push(`${JSON.stringify(after)} after ${JSON.stringify([...planted])}`);
    }
    expect(missed).toEqual([]);
    expect(left).toEqual([]);
  });
});

test("another number or text in a tile is found, although the seal is right", async () => {
  const world = new FsckWorld();
  await world.publish();
  const { store, change, fsck } = world.copy();
  const observations = observationTileKey("wheel-1", 1);
  let activity = "";
  for await (const key of store.list("v1/public/activity/all/tiles/")) activity = key;
  await change(observations, (_, text) => ({
    text: text.replace(/"cumulativeWorkUnits":"\d+"/, '"cumulativeWorkUnits":"7"'),
  }));
  await change(activity, (_, text) => ({ text: text.replace("release-1", "release-2") }));
  expect((await fsck()).findings).toMatchObject([
    { what: "wrong", key: activity, says: "its name is not the hash of its bytes" },
    { what: "wrong", key: observations, says: expect.stringMatching(/^line 1 has .*"7" as cumulativeWorkUnits/) },
  ]);
  world.end();
});

/**
 * Two markers of an S3 console's "create folder", a name with a control character, and one that would leave the store.
 */
const UNREADABLE = ["v9/", "v1/public/activity/players/tiles/", "v1/public/activity/players/tiles/\u0001", "x/../y"];

describe("names that no store can read", () => {
  const world = new FsckWorld();
  beforeAll(() => world.publish());
  afterAll(() => world.end());

  test("are foreign", async () => {
    const copy = world.copy();
    const listing: ObjectStore = {
      ...countedStore(copy.store, () => {}),
      async *list(prefix) {
        yield* copy.store.list(prefix);
        yield* UNREADABLE.filter((key) => key.startsWith(prefix));
      },
    };
    const { findings } = await fsck(listing, PUBLISHED);
    expect(findings.map(({ what, key }) => `${what} ${key}`).sort()).toEqual(
      UNREADABLE.map((key) => `foreign ${key}`).sort(),
    );
  });
});
