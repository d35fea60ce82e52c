/** fsck finds each known damage. Afterwards `publish --force` or `fsck --repair` restores the publisher's store. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fsck } from "../../src/fsck/fsck.ts";
import { parseBody } from "../../src/fsck/objects.ts";
import { RULES } from "../../src/fsck/rules.ts";
import { checkpointKey, INSTALLATIONS_KEY, PRIVATE_LOGS, STATUS_KEY } from "../../src/http/keys.ts";
import { countedStore } from "../../src/object-store/counted-store.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { golden } from "../openapi/golden-bodies.ts";
import { DAMAGES, type Damage, LEFT_BY_FORCE } from "./damages.ts";
import { FsckWorld, HOUR, PUBLISHED } from "./fsck-world.ts";

/** An unreadable lease object is watched for 34 s. */
const AFTER_FORCE = PUBLISHED + 300_000;
/** By name. docs/fsck.md gives their number and the reason. */
const NOT_REPAIRABLE: ReadonlySet<string> = new Set([
  // A foreign object is not deleted, because the store's name could be wrong.
  "an unknown key",
  "another program's bytes under an unknown key",
]);

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test("fsck finds nothing in a publisher's store", async () => {
  const { objects, findings } = await world.copy().fsck();
  expect(findings).toEqual([]);
  expect(objects).toBe(44);
});

test.each(DAMAGES)("fsck finds $rule: $name", async ({ plant, rule, later = 0 }) => {
  const copy = world.copy();
  const key = await plant(copy);
  const { findings } = await copy.fsck(PUBLISHED + later);
  expect(findings.map((finding) => `${finding.rule} ${finding.key}`)).toContain(`${rule} ${key}`);
});

/** A damage of these objects, or of an epoch, changes how everything else is repaired. So it is repaired alone. */
const ALONE: ReadonlySet<string> = new Set([INSTALLATIONS_KEY, STATUS_KEY, checkpointKey(PRIVATE_LOGS, 1)]);

interface Group {
  readonly names: string;
  readonly damages: Damage[];
}

/** Groups damages of different objects, which are repaired together. */
function groupsOf(damages: readonly Damage[]): Group[] {
  const groups: Damage[][] = [];
  const isAlone = ({ object, rule }: Damage) => ALONE.has(object) || rule === "epoch";
  for (const damage of damages) {
    const group = groups.find((others) =>
      others.every((other) => !isAlone(damage) && !isAlone(other) && other.object !== damage.object),
    );
    if (group === undefined) groups.push([damage]);
    else group.push(damage);
  }
  return groups.map((group) => ({ names: group.map(({ name }) => name).join(", "), damages: group }));
}

/** The first damage of each object by each rule. */
const OF_EACH_OBJECT = DAMAGES.filter(
  ({ rule, object }, index) => DAMAGES.findIndex((other) => other.rule === rule && other.object === object) === index,
);

test.each(groupsOf(OF_EACH_OBJECT))("--repair repairs $names", async ({ damages }) => {
  const copy = world.copy();
  const left: string[] = [];
  for (const { name, plant } of damages) {
    const key = await plant(copy);
    if (NOT_REPAIRABLE.has(name)) left.push(key);
  }
  const repairedAt = await world.repair(copy.store, Math.max(...damages.map(({ later = 0 }) => later)));
  const { findings } = await copy.fsck(repairedAt);
  expect(findings.map(({ key }) => key).toSorted()).toEqual(left.toSorted());
});

/** What an S3 console's "create folder" writes, a name with a control character, and one that would leave the store. */
const UNREADABLE = ["v9/", "v1/public/activity/players/tiles/", "v1/public/activity/players/tiles/\u0001", "x/../y"];

test("fsck and its repair pass over names that no store can read", async () => {
  const copy = world.copy();
  const listing: ObjectStore = {
    ...countedStore(copy.store, () => {}),
    async *list(prefix) {
      yield* copy.store.list(prefix);
      yield* UNREADABLE.filter((key) => key.startsWith(prefix));
    },
  };
  const { findings } = await fsck(listing, { now: PUBLISHED });
  expect(new Set(findings.map(({ rule, key }) => `${rule} ${key}`))).toEqual(
    new Set(UNREADABLE.map((key) => `foreign-key ${key}`)),
  );
  await copy.store.delete(INSTALLATIONS_KEY);
  const now = await world.repair(listing);
  expect((await fsck(copy.store, { now })).findings).toEqual([]);
});

test("in a directory fsck names a file whose name no publisher writes", async () => {
  const copy = world.copy();
  const names = ["folder%2f.http", "v9%01zz.http", "x/%2e%2e%2fy.http"];
  mkdirSync(join(copy.directory, "x"));
  for (const name of names) writeFileSync(join(copy.directory, name), "");
  const { findings } = await copy.fsck();
  expect(findings.map(({ rule, key }) => `${rule} ${key}`)).toEqual([
    "foreign-key folder/",
    "foreign-key v9\u0001zz",
    "foreign-key x/../y",
  ]);
});

test("every rule has a damage", () => {
  expect(new Set(DAMAGES.map(({ rule }) => rule))).toEqual(new Set(Object.keys(RULES)));
});

test("a tile that has just become unreferenced is not reported yet", async () => {
  const copy = world.copy();
  const orphaned = DAMAGES.find(({ rule }) => rule === "orphan");
  await orphaned?.plant(copy);
  expect((await copy.fsck(PUBLISHED + HOUR)).findings).toEqual([]);
});

/** The first damage of each rule. */
const ONE_OF_EACH = DAMAGES.filter(({ rule }, index) => DAMAGES.findIndex((other) => other.rule === rule) === index);

test.each(groupsOf(ONE_OF_EACH.filter(({ name }) => !LEFT_BY_FORCE.has(name))))(
  "--force repairs $names",
  async ({ damages }) => {
    const copy = world.copy();
    for (const { plant } of damages) await plant(copy);
    await world.force(copy.store);
    expect((await copy.fsck(AFTER_FORCE)).findings).toEqual([]);
  },
);

test("fsck finds a module that is stored twice, by the same rules as verify", () => {
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const body = golden("site/recorded/modules.json") as { modules: object[] };
  expect(body.modules.length).toBeGreaterThan(0);
  const kind = { is: "response", resource: "modules" } as const;
  expect(parseBody(kind, 200, bytes(body)).complaint).toBeUndefined();
  const twice = { ...body, modules: [...body.modules, ...body.modules] };
  expect(parseBody(kind, 200, bytes(twice)).complaint).toMatch(/^body\/module-order: /);
});
