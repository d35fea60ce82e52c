/**
 * Records the contents of a test's stores after each cycle, if NOONTEST_GOLDEN names a directory (set by
 * golden-stores.ts). Uses only stores, instants and test names, so the same recording works before and after a
 * redesign.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { type ObjectStore, StoreDamaged, type StoreObject } from "../../../src/object-store/object-store.ts";
import { MemoryStore } from "../../support/memory-store.ts";

/** One cycle of a test. */
export interface RecordedCycle {
  /** The test's full name. */
  readonly test: string;
  /** The number of the store within the test, from 1. */
  readonly store: number;
  /** Epoch ms. */
  readonly at: number;
  /** Keys whose objects changed since the store's previous cycle, with the hash of the new object. */
  readonly changed: readonly (readonly [key: string, hash: string])[];
  readonly deleted: readonly string[];
}

const FOLDER = process.env.NOONTEST_GOLDEN;
/** Objects that depend on the publisher's identity and time, and contain a random token per run. */
const EXCLUDED = /^(?:status\.json|standby\.json|private\/.*|probe\/.*)$/;
const TILE_KEY = /^(v1\/public\/activity\/[^/]+)\/tiles\/(.+)$/;
const DAMAGED = "damaged" as const;

type Contents = ReadonlyMap<string, StoreObject | "damaged">;

/** By store: its number in the test, and the hash under each key at its previous cycle. */
const stores = new WeakMap<ObjectStore, { readonly number: number; hashes: ReadonlyMap<string, string> }>();
const storesOfTest = new Map<string, number>();

/** `at` is in epoch ms. Skips a store if its contents can be read only through the test's own steps and failures. */
export async function recordCycle(store: ObjectStore, at: number): Promise<void> {
  if (FOLDER === undefined || !(store instanceof MemoryStore || store instanceof FilesystemStore)) return;
  const { expect } = await import("vitest");
  const { testPath = "", currentTestName = "" } = expect.getState();
  const file = relative(join(import.meta.dirname, "../.."), testPath);
  const hashes = hashesOf(store instanceof MemoryStore ? store.contents() : await contentsOf(store));
  const number = stores.get(store)?.number ?? (storesOfTest.get(currentTestName) ?? 0) + 1;
  storesOfTest.set(currentTestName, Math.max(number, storesOfTest.get(currentTestName) ?? 0));
  const before = stores.get(store)?.hashes ?? new Map<string, string>();
  stores.set(store, { number, hashes });
  const changed = [...hashes].filter(([key, hash]) => before.get(key) !== hash).toSorted(byKey);
  const deleted = [...before.keys()].filter((key) => !hashes.has(key)).toSorted();
  const cycle: RecordedCycle = { test: currentTestName, store: number, at, changed, deleted };
  mkdirSync(FOLDER, { recursive: true });
  appendFileSync(join(FOLDER, `${file.replaceAll("/", "__")}.ndjson`), `${JSON.stringify(cycle)}\n`);
}

async function contentsOf(store: ObjectStore): Promise<Contents> {
  const contents = new Map<string, StoreObject | "damaged">();
  for await (const key of store.list("")) {
    const object = await store.get(key).catch((error: unknown) => {
      if (error instanceof StoreDamaged) return DAMAGED;
      throw error;
    });
    if (object !== undefined) contents.set(key, object);
  }
  return contents;
}

/**
 * Replaces an activity tile's name by the hash of its bytes, in keys and in the bodies that name it. Unreferenced tiles
 * are skipped, because only the time of their deletion depends on the name.
 */
function hashesOf(contents: Contents): Map<string, string> {
  const hashes = new Map<string, string>();
  const visit = (key: string): string => {
    const [, category = "", name] = TILE_KEY.exec(key) ?? [];
    const object = contents.get(key);
    const hash = object === undefined || object === DAMAGED ? DAMAGED : hashOf(key, object, nameOf);
    hashes.set(name === undefined ? key : `${category}/tiles/${hash}`, hash);
    return hash;
  };
  const nameOf = (key: string, token: string): string => {
    const tile = `${TILE_KEY.exec(key)?.[1] ?? key}/tiles/${token}`;
    return contents.has(tile) ? visit(tile) : token;
  };
  for (const key of contents.keys()) if (!EXCLUDED.test(key) && !TILE_KEY.test(key)) visit(key);
  return hashes;
}

function hashOf(key: string, object: StoreObject, nameOf: (key: string, token: string) => string): string {
  const isActivity = key.startsWith("v1/public/activity/");
  const body = Buffer.from(object.body).toString("latin1");
  const named = isActivity ? body.replace(/[\w-]+/g, (token) => nameOf(key, token)) : body;
  const text = `${JSON.stringify(canonicalMetadata(object, isActivity), undefined, 1)}\n${named}`;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const dump = join(FOLDER ?? "", "objects");
  mkdirSync(dump, { recursive: true });
  if (!existsSync(join(dump, hash))) writeFileSync(join(dump, hash), `${key}\n${text}\n`);
  return hash;
}

/** Removes epoch, writer and build time; also the fingerprints of activity heads, which depend on tile names. */
function canonicalMetadata({ metadata, contentType }: StoreObject, isActivity: boolean): unknown {
  const { epoch: _epoch, writer: _writer, "source-version": sourceVersion, states, ...rest } = metadata;
  const parsed = Object.entries({ "source-version": sourceVersion, states, ...rest }).map(([name, value]) => [
    name,
    parsedJson(value),
  ]);
  const entries: Record<string, unknown> = { contentType, ...Object.fromEntries(parsed) };
  const version = entries["source-version"];
  if (isRecord(version)) entries["source-version"] = { ...version, at: undefined };
  if (isActivity && Array.isArray(entries.states)) entries.states = entries.states.map(({ from }) => from);
  return sorted(entries);
}

function parsedJson(value: string | undefined): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(value);
  } catch {
    return value;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function byKey([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
