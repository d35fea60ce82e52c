/** All known ways in which a store can be wrong, each with its expected finding: rule and key. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "../../src/fsck/rules.ts";
import { packBundle, unpackBundle } from "../../src/log/private-bundle.ts";
import type { StoreObject } from "../../src/object-store/object-store.ts";
import { decodeHead, decodeTile, encodeHead, encodeTile, type Head } from "../../src/resources/activity/stored-feed.ts";
import { revisionOf } from "../../src/resources/built.ts";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { ASSET, type Damaged, HOUR } from "./fsck-world.ts";

export interface Damage {
  readonly name: string;
  readonly rule: Rule;
  /** The key of the damaged object. An object of the players' activity counts as its head. */
  readonly object: string;
  /** Damages the store and returns the key of the finding. */
  readonly plant: (damaged: Damaged) => Promise<string>;
  /** Milliseconds to add to the instant of the check. */
  readonly later?: number;
}

/** Damages that `publish --once --force` without state leaves, and `fsck --repair` repairs. */
export const LEFT_BY_FORCE: ReadonlySet<string> = new Set([
  "probe objects of an interrupted start",
  "an unknown key",
  "another program's bytes under an unknown key",
  "from tomorrow",
  "a tile of a log that the index does not name",
]);

const TELEMETRY = "v1/public/telemetry";
const PROCESS = "v4/public/process";
const ONCHAIN = "v4/public/onchain";
const STATISTICS = "v2/public/stats/30d";
const HEAD = "v1/public/activity/players";
const tileKey = (tile: number, log = 1, id = "wheel-1") => observationTileKey(id, log, tile);

type Change = Parameters<Damaged["change"]>[1];

/** The file's bytes on disk. */
function bytes(name: string, key: string, change: (bytes: Buffer) => Buffer): Damage {
  return {
    name,
    rule: "damaged",
    object: key,
    plant: async (damaged) => {
      damaged.bytes(key, change);
      return key;
    },
  };
}

/** An object with a correct seal and wrong content. */
function sealed(name: string, rule: Rule, key: string, change: Change): Damage {
  return { name, rule, object: key, plant: async (damaged) => damaged.change(key, change).then(() => key) };
}

function gone(name: string, rule: Rule, key: string): Damage {
  return { name, rule, object: key, plant: async (damaged) => damaged.store.delete(key).then(() => key) };
}

function replaced(from: string | RegExp, to: string): Change {
  return (_, text) => {
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`nothing to replace: ${from}`);
    return { text: changed };
  };
}

function metadata(changes: Readonly<Record<string, (value: string) => string>>): Change {
  return (object: StoreObject) => {
    const changed = Object.entries(changes).map(([name, change]) => [name, change(object.metadata[name] ?? "")]);
    return { metadata: { ...object.metadata, ...Object.fromEntries(changed) } };
  };
}

function sourceVersion(change: (sourceVersion: Record<string, unknown>) => unknown): Change {
  return metadata({ "source-version": (text) => JSON.stringify(change(JSON.parse(text) as Record<string, unknown>)) });
}

/** A change of a private bundle's entries, which are ASCII. */
function entries(change: (text: string) => string): Change {
  return ({ body }) => ({
    body: packBundle(Buffer.from(change(Buffer.from(unpackBundle(body)).toString("latin1")), "latin1")),
  });
}

type Version = { from: number; edits?: { offset: number; length: number; text: string }[]; headers?: object };

function successors(change: (list: Version[]) => unknown): Change {
  return metadata({ successors: (text) => JSON.stringify(change(JSON.parse(text) as Version[])) });
}

async function headOf({ store }: Damaged): Promise<Head> {
  const object = await store.get(HEAD);
  const head = object && decodeHead(new TextDecoder().decode(object.body));
  if (head === undefined) throw new Error("there is no head");
  return head;
}

/** The index tile, the newer tile and the older tile of the players' activity. */
async function tilesOf(damaged: Damaged) {
  const { indexes } = await headOf(damaged);
  const index = `${HEAD}/tiles/${indexes[0]?.name}`;
  const text = new TextDecoder().decode((await damaged.store.get(index))?.body);
  const [newer = "", older = ""] = text.split("\n").map((line) => `${HEAD}/tiles/${line.split("\t")[0]}`);
  return { index, newer, older };
}

type Place = "index" | "newer" | "older";

function feedGone(name: string, place: Place): Damage {
  return {
    name,
    rule: "activity-missing",
    object: HEAD,
    plant: async (damaged) => {
      const key = (await tilesOf(damaged))[place];
      await damaged.store.delete(key);
      return key;
    },
  };
}

function feedTile(name: string, rule: Rule, place: Place, change: Change): Damage {
  return {
    name,
    rule,
    object: HEAD,
    plant: async (damaged) => {
      const key = (await tilesOf(damaged))[place];
      await damaged.change(key, change);
      return key;
    },
  };
}

function head(name: string, rule: Rule, change: (head: Head) => Head, at?: Place): Damage {
  return {
    name,
    rule,
    object: HEAD,
    plant: async (damaged) => {
      const key = at === undefined ? HEAD : (await tilesOf(damaged))[at];
      const changed = change(await headOf(damaged));
      await damaged.change(HEAD, () => ({ text: encodeHead(changed) }));
      return key;
    },
  };
}

const withLast = (change: (bytes: Buffer) => void) => (all: Buffer) => {
  change(all);
  return all;
};

/** A change of a body with a revision, and the ETag of the changed body. */
function revised(from: RegExp, to: string): Change {
  return (object, text) => {
    const { text: changed = "" } = replaced(from, to)(object, text);
    const { revision: _, ...content } = JSON.parse(changed) as Record<string, unknown>;
    const revision = revisionOf(JSON.stringify(content));
    const etag = `"${revision}"`;
    return {
      text: changed.replace(/"revision":"[^"]*"/, `"revision":"${revision}"`),
      metadata: { ...object.metadata, etag },
    };
  };
}

const LIFETIME: readonly (readonly [string, RegExp, string])[] = [
  ["acceptedWorkUnits", /"acceptedWorkUnits":"/, '"acceptedWorkUnits":"9'],
  ["observedDistanceMm", /"observedDistanceMm":"/, '"observedDistanceMm":"9'],
  ["settledBlockCount", /"settledBlockCount":"2"/, '"settledBlockCount":"1"'],
  ["settlementCount", /"settlementCount":"2"/, '"settlementCount":"3"'],
  ["settledWorkUnits", /"settledWorkUnits":"200"/, '"settledWorkUnits":"900"'],
  ["activeDayCount", /"activeDayCount":2,"coverageBps"/, '"activeDayCount":3,"coverageBps"'],
  ["coverageBps", /("activeDayCount":2,"coverageBps":)\d+/, "$19999"],
  ["firstObservedAt", /"firstObservedAt":"2026-11-18T10:/, '"firstObservedAt":"2026-11-18T09:'],
];

export const DAMAGES: readonly Damage[] = [
  bytes("cut", TELEMETRY, (all) => all.subarray(0, all.length - 10)),
  bytes("emptied", PROCESS, () => Buffer.alloc(0)),
  bytes("garbled", ONCHAIN, (all) => Buffer.from(all.map((byte) => byte ^ 0x55))),
  bytes("another program's", "v1/public/modules", () => Buffer.from("<html>not found</html>\n\n")),
  bytes(
    "one digit of the body",
    tileKey(1),
    withLast((all) => all.writeUInt8(all.readUInt8(all.length - 8) ^ 1, all.length - 8)),
  ),
  bytes("one digit of the metadata", TELEMETRY, (all) =>
    Buffer.from(all.toString("latin1").replace("x-meta-epoch: 1", "x-meta-epoch: 2"), "latin1"),
  ),
  bytes("longer", tileKey(0), (all) => Buffer.concat([all, Buffer.from("\n{}")])),
  bytes("another object's bytes", "status.json", () => Buffer.from("x-store-tag: a\n\n{}")),
  {
    name: "an unknown key",
    rule: "foreign-key",
    object: "v1/public/other",
    plant: async ({ store }) => {
      await store.put("v1/public/other", { body: Buffer.from("{}"), contentType: "application/json", metadata: {} });
      return "v1/public/other";
    },
  },
  {
    name: "probe objects of an interrupted start",
    rule: "probe-left",
    object: "probe",
    plant: async ({ store }) => {
      const key = "probe/AbCdEf-_9hIj";
      await store.put(key, { body: new Uint8Array(), contentType: "text/plain", metadata: {} });
      return key;
    },
  },
  {
    name: "another program's bytes under an unknown key",
    rule: "damaged",
    object: "other",
    plant: async ({ directory }) => {
      writeFileSync(join(directory, "other.http"), "<html>");
      return "other";
    },
  },
  sealed("another type", "content-type", PROCESS, () => ({ contentType: "text/plain" })),
  sealed("a file of another type", "content-type", "site/index.html", () => ({ contentType: "text/plain" })),
  sealed("no epoch", "writer", TELEMETRY, metadata({ epoch: () => "0" })),
  sealed("no source version", "writer", PROCESS, metadata({ "source-version": () => "[]" })),
  sealed(
    "a source version with an unknown field",
    "writer",
    PROCESS,
    sourceVersion((one) => ({ ...one, safeBlock: "-1" })),
  ),
  sealed(
    "from tomorrow",
    "source-version-future",
    PROCESS,
    sourceVersion((one) => ({ ...one, at: Number(one.at) + 24 * HOUR })),
  ),
  sealed("no status", "answer", TELEMETRY, metadata({ status: () => "20" })),
  sealed("a body that is not JSON", "body", ONCHAIN, replaced("{", "[")),
  sealed("a field with another format", "body", TELEMETRY, replaced('"schemaVersion":1', '"schemaVersion":2')),
  sealed(
    "broken rules between fields",
    "body",
    ONCHAIN,
    replaced(/"indexedThroughBlock":"\d+"/, '"indexedThroughBlock":"7"'),
  ),
  sealed(
    "a template without its placeholder",
    "body",
    "v1/public/installations/telemetry",
    replaced(/"installationId":"[^"]*"/, '"installationId":""'),
  ),
  sealed("an empty object as index", "body", "installations", () => ({ text: "{}" })),
  ...LIFETIME.map(([name, from, to]) => sealed(`another lifetime.${name}`, "lifetime", STATISTICS, revised(from, to))),
  sealed("another installation's response", "installation", TELEMETRY, replaced('"wheel-1"', '"wheel-9"')),
  sealed("an ETag of another revision", "tag", PROCESS, metadata({ etag: (tag) => tag.replace(/^"./, '"*') })),
  sealed("a file's ETag", "tag", "site/deployment.json", () => ({ text: "{}" })),
  sealed(
    "an edit beyond the body",
    "successors",
    PROCESS,
    successors((list) => list.map((one) => ({ ...one, edits: [{ offset: 1e6, length: 1, text: "" }] }))),
  ),
  sealed(
    "edits that overlap",
    "successors",
    PROCESS,
    successors((list) =>
      list.map((one) => ({
        ...one,
        edits: [
          { offset: 5, length: 9, text: "" },
          { offset: 6, length: 1, text: "" },
        ],
      })),
    ),
  ),
  sealed(
    "an edit that breaks the body",
    "successors",
    PROCESS,
    successors((list) => list.map((one) => ({ ...one, edits: [{ offset: 0, length: 1, text: "[" }] }))),
  ),
  sealed(
    "an edit one byte off",
    "successors",
    PROCESS,
    successors((list) =>
      list.map((one) => ({ ...one, edits: one.edits?.map((edit) => ({ ...edit, offset: edit.offset + 1 })) })),
    ),
  ),
  sealed(
    "successors out of order",
    "successors",
    ONCHAIN,
    successors((list) => [...list, ...list]),
  ),
  sealed("another valid-until", "successors", ONCHAIN, metadata({ "valid-until": (text) => `${text}0` })),
  gone("a missing constant response", "constant-missing", `${ONCHAIN}/unavailable`),
  sealed("a truncated tile before the last tile", "tile-gap", tileKey(1), (_, text) => ({
    text: text.slice(0, text.lastIndexOf("\n")),
  })),
  sealed("a tile with a hole", "observation-tile", tileKey(1), (_, text) => ({
    text: text.split("\n").toSpliced(7, 1).join("\n"),
  })),
  sealed("another installation's receipts", "observation-tile", tileKey(0), replaced('"wheel-1"', '"wheel-2"')),
  sealed("an empty tile", "observation-tile", tileKey(2), () => ({ text: "" })),
  sealed(
    "another position in the tile's source version",
    "tile-position",
    tileKey(2),
    sourceVersion((one) => ({ ...one, position: 299 })),
  ),
  gone("the first tile is missing", "tile-gap", tileKey(0)),
  gone("a middle tile is missing", "tile-gap", tileKey(1)),
  {
    name: "a tile of a log that the index does not name",
    rule: "tile-log",
    object: tileKey(0),
    plant: async ({ store }) => {
      const found = await store.get(tileKey(0));
      if (found !== undefined) await store.put(tileKey(0, 2), found);
      return tileKey(0, 2).slice(0, -2);
    },
  },
  sealed("a checkpoint that is none", "log", "private/log/1/checkpoint", () => ({ text: "no checkpoint" })),
  sealed("a bundle that is no gzip", "log", "private/log/1/tile/entries/001", () => ({ text: "{}" })),
  sealed(
    "a bundle that is cut off",
    "log",
    "private/log/1/tile/entries/001",
    entries((text) => text.slice(0, -1)),
  ),
  {
    name: "another entry in a bundle",
    rule: "log-root",
    object: "private/log/1/tile/entries/000",
    plant: async ({ change }) => {
      await change(
        "private/log/1/tile/entries/000",
        entries((text) => text.replace('"sequence":17', '"sequence":71')),
      );
      return "private/log/1/checkpoint";
    },
  },
  {
    name: "a response of more entries than the checkpoint commits",
    rule: "log-ahead",
    object: "v1/public/modules",
    plant: async ({ change }) => {
      await change(
        "v1/public/modules",
        sourceVersion((one) => ({ ...one, size: 1_000_000 })),
      );
      return "v1/public/modules";
    },
  },
  gone("the index is missing", "index-missing", "installations"),
  sealed(
    "an index without the configured installation",
    "index-entry",
    "installations",
    replaced('"configured":"wheel-1"', '"configured":"wheel-3"'),
  ),
  gone("missing telemetry of a named installation", "index-entry", "v1/public/installations/~wheel-2/telemetry"),
  gone("a missing published response", "answer-missing", "v1/public/modules"),
  feedGone("a missing index tile", "index"),
  feedGone("the newer tile is missing", "newer"),
  feedGone("the older tile is missing", "older"),
  feedTile("another event in a tile", "activity-tile", "older", replaced('"occurredAt"', '"occurredAs"')),
  feedTile("a tile without one of its events", "activity-tile", "older", (_, text) => ({
    text: encodeTile(decodeTile(text).slice(0, -1)),
  })),
  feedTile("a short tile above another", "activity-order", "newer", (_, text) => ({
    text: encodeTile(decodeTile(text).slice(-9)),
  })),
  feedTile("an index tile without one of its lines", "activity-order", "index", (_, text) => ({
    text: text.slice(0, text.indexOf("\n")),
  })),
  head(
    "an index tile named as an event tile",
    "activity-missing",
    (one) => ({ ...one, tiles: one.indexes, indexes: [] }),
    "index",
  ),
  head("a head whose own events are out of order", "body", (one) => ({ ...one, recent: one.recent.toReversed() })),
  head(
    "a head that names another end",
    "activity-order",
    (one) => ({ ...one, indexes: one.indexes.map((entry) => ({ ...entry, last: "0" })) }),
    "index",
  ),
  sealed(
    "a head from before its tiles",
    "activity-source-version",
    HEAD,
    sourceVersion((one) => ({ ...one, at: Number(one.at) - HOUR })),
  ),
  {
    ...head("unreferenced tiles", "orphan", (one) => ({ ...one, indexes: [] }), "older"),
    later: HOUR + 1,
  },
  sealed("an invalid lease", "lease", "status.json", () => ({ text: "{}" })),
  sealed("a lease with another holder's metadata", "lease", "status.json", metadata({ writer: () => "another" })),
  sealed("an invalid private status", "private-status", "private/status.json", () => ({ text: "[]" })),
  sealed(
    "another holder's private status",
    "private-status",
    "private/status.json",
    metadata({ writer: () => "another" }),
  ),
  gone("the lease is missing", "lease-missing", "status.json"),
  sealed("an epoch above the lease's", "epoch", PROCESS, metadata({ epoch: () => "7" })),
  gone("a missing asset", "asset-missing", `site/${ASSET}`),
];
