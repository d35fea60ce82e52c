import { execFileSync, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { fileOfKey, keyOfFile } from "../../../src/object-store/filesystem/format.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { openStore } from "../../../src/object-store/open-store.ts";
import { anyCharacter } from "../../support/random.ts";
import { sharedFolder } from "../../support/test-folder.ts";
import { conforms, keysOf } from "../conformance.ts";
import { sample, versioned, versionOf } from "../samples.ts";

const root = sharedFolder();
const scratch = () => mkdtempSync(join(root, "s-"));

conforms("a directory", {
  open: async () => new FilesystemStore(scratch(), { write: true }),
  again: async (store) => new FilesystemStore(store.name, { write: true }),
  damage: async (store, key, body) => {
    const path = join(store.name, fileOfKey(key));
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, bytes.indexOf("\n\n") + 2), body]));
  },
});

test("a stored file is readable text", async () => {
  const directory = scratch();
  const store = new FilesystemStore(directory, { write: true });
  const tag = await store.put("v1/public/installations/~Wheel:1/telemetry", sample('{"a":1}', { status: "200" }));
  expect(readFileSync(join(directory, "v1/public/installations/~!wheel%3a1/telemetry.http"), "utf8")).toBe(
    `content-type: application/json; charset=utf-8\ncontent-length: 7\nx-store-tag: ${tag}\nx-meta-status: 200\n` +
      `x-meta-sha256: ${createHash("sha256").update('status: 200\n\n{"a":1}').digest("base64url")}\n\n{"a":1}`,
  );
});

test("directories that vanish while a list reads them make it unavailable, never shorter", async () => {
  const store = new FilesystemStore(scratch(), { write: true });
  await store.put("z/k", sample("body"));
  const vanishing = Array.from({ length: 300 }, (_, at) => join(store.name, `d${at}`));
  for (const directory of vanishing) mkdirSync(directory);
  const listed = keysOf(store, "").catch((error: unknown) => error);
  await Promise.resolve();
  for (const directory of vanishing) rmSync(directory, { recursive: true });
  const found = await listed;
  if (!(found instanceof StoreUnavailable)) expect(found).toEqual(["z/k"]);
});

test("after the directory was replaced, a writer takes the lock of the new one", async () => {
  const directory = scratch();
  const store = new FilesystemStore(directory, { write: true });
  await store.put("k", sample("old"));
  renameSync(directory, `${directory}-old`);
  cpSync(`${directory}-old`, directory, { recursive: true });
  const other = new Database(join(directory, ".noonmark-store"));
  other.exec("BEGIN EXCLUSIVE");
  try {
    // A lock that stays busy is abandoned for a new one.
    await store.put("k", sample("new"));
    expect(existsSync(join(directory, ".noonmark-store-1"))).toBe(true);
  } finally {
    other.close();
  }
});

test("file names are unique without regard to case, and map back to the key", () => {
  const segment = fc
    .oneof(
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }),
      fc.constantFrom("A", "a", "a.http", ".tmp", "%+", "!a", "W".repeat(128)),
    )
    .filter((text) => !/[\p{Cc}/]/u.test(text) && text !== "." && text !== ".." && text.isWellFormed());
  const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/"));
  fc.assert(
    fc.property(key, key, (one, other) => {
      const file = fileOfKey(one);
      expect(keyOfFile(file)).toBe(one);
      expect(file.split("/").every((name) => name.length <= 255 && !name.startsWith("."))).toBe(true);
      if (one !== other) {
        const [short, long] = [file, fileOfKey(other)].map((path) => path.toLowerCase());
        expect(short).not.toBe(long);
        // No object's file is another object's directory.
        expect(`${long}/`.startsWith(`${short}/`)).toBe(false);
      }
    }),
  );
});

test("a damaged file is unavailable, not absent and not served", async () => {
  const directory = scratch();
  const store = new FilesystemStore(directory, { write: true });
  await store.put("k", sample("a whole body", { status: "200" }));
  const path = join(directory, "k.http");
  const whole = readFileSync(path);
  // No seal covers the type, and no response could have this one.
  const badType = Buffer.from(whole.toString("latin1").replace("application/json", "application\x0fjson"), "latin1");
  for (const bytes of [
    whole.subarray(0, -1),
    whole.subarray(0, 30),
    Buffer.alloc(0),
    Buffer.alloc(whole.length),
    badType,
  ]) {
    writeFileSync(path, bytes);
    await expect(store.get("k")).rejects.toThrow(StoreUnavailable);
  }
  rmSync(path);
  symlinkSync("k.http", path);
  await expect(store.get("k")).rejects.toThrow(/get .*k\.http: ELOOP/);
});

test("in a missing store no object is absent: the store is unavailable", async () => {
  const directory = scratch();
  const reader = await openStore(join(directory, "none"), { write: false });
  await expect(reader.get("k")).rejects.toThrow(StoreUnavailable);
  const store = await openStore(join(directory, "none"), { write: true });
  expect(await reader.get("k")).toBeUndefined();
  await store.put("k", sample("body"));
  rmSync(join(directory, "none"), { recursive: true });
  await expect(reader.get("k")).rejects.toThrow(StoreUnavailable);
  await expect(store.put("k", sample("body"))).rejects.toThrow(StoreUnavailable);
});

test("in an empty directory, such as a disk that is not mounted, no object is absent, and none is listed", async () => {
  const directory = scratch();
  const reader = await openStore(directory, { write: false });
  await expect(reader.get("k")).rejects.toThrow(StoreUnavailable);
  const first = () => reader.list("")[Symbol.asyncIterator]().next();
  await expect(first()).rejects.toThrow(StoreUnavailable);
  await openStore(directory, { write: true });
  expect((await first()).done).toBe(true);
});

test("opening for writing removes only the files of a dead writer", async () => {
  const directory = scratch();
  const store = new FilesystemStore(directory, { write: true });
  await store.put("k", sample("body"));
  writeFileSync(join(directory, ".tmp", "left"), "half");
  utimesSync(join(directory, ".tmp", "left"), 1, 1);
  writeFileSync(join(directory, ".tmp", "under-way"), "half");
  await openStore(directory, { write: false });
  expect(readdirSync(join(directory, ".tmp")).sort()).toEqual(["left", "under-way"]);
  await openStore(directory, { write: true });
  expect(readdirSync(join(directory, ".tmp"))).toEqual(["under-way"]);
});

test("a writer killed at any moment leaves whole objects and a free lock", async () => {
  const directory = scratch();
  const reader = new FilesystemStore(directory, { write: true });
  await reader.put("k", versioned(0));
  for (let turn = 0; turn < 6; turn++) {
    const writer = fork(new URL("./writer.ts", import.meta.url), [directory], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    expect(await Promise.race([once(writer, "message"), once(writer, "exit")])).toEqual(["ready", undefined]);
    const reads = 40 + turn * 37;
    for (let read = 0, last = 0; read < reads; read++) {
      const version = versionOf(await reader.get("k"));
      expect(version).toBeGreaterThanOrEqual(last);
      last = version;
      // Gives CPU time to the writer's process.
      await new Promise((resolve) => setImmediate(resolve));
    }
    writer.kill("SIGKILL");
    await once(writer, "exit");
    const { tag } = (await reader.get("k")) ?? { tag: "" };
    await reader.put("k", versioned(0), { ifTag: tag });
  }
});

test.each([
  ["a pipe", (path: string) => void execFileSync("mkfifo", [path]), "it is not a regular file"],
  ["a device", (path: string) => symlinkSync("/dev/zero", path), "it is not a regular file"],
  ["a directory", (path: string) => void mkdirSync(path), "it is not a regular file"],
  [
    "a file of a terabyte",
    (path: string) => {
      writeFileSync(path, "");
      truncateSync(path, 2 ** 40);
    },
    "it has 1099511627776 bytes",
  ],
])("%s in place of an object counts as damage, and blocks no read", async (_, make, because) => {
  const store = new FilesystemStore(scratch(), { write: true });
  make(join(store.name, fileOfKey("k")));
  await expect(store.get("k")).rejects.toMatchObject({ code: "store_damaged", message: `k is damaged: ${because}` });
});

test("private objects are readable only by their owner, and others follow the umask", async () => {
  const store = new FilesystemStore(scratch(), { write: true });
  const modeOf = async (key: string) => {
    await store.put(key, sample("x"));
    return statSync(join(store.name, fileOfKey(key))).mode & 0o777;
  };
  expect(await modeOf("private/log/checkpoint")).toBe(0o600);
  expect(await modeOf("v1/public/telemetry")).toBe(0o666 & ~process.umask());
});
