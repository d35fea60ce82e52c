import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, expect, test, vi } from "vitest";
import { FilesystemLock } from "../../../src/object-store/filesystem/lock.ts";
import { prepareDirectory } from "../../../src/object-store/filesystem/prepare.ts";
import { testFolder } from "../../support/test-folder.ts";

let folder: string;
let lock: FilesystemLock;
beforeEach(() => {
  folder = testFolder();
  prepareDirectory(folder);
  lock = new FilesystemLock(folder);
});

const at = (name: string) => join(folder, name);
const end = () => performance.now() + 3_000;
function rename(name: string, to: string, judge = () => {}): Promise<void> {
  writeFileSync(at(name), name);
  return lock.rename(at(name), at(to), end(), judge);
}
/** Acts like another process in the middle of a change. */
function holdBy(file: string): Database.Database {
  const db = new Database(at(file));
  db.exec("BEGIN EXCLUSIVE");
  return db;
}

test("waiting for a busy lock gives up after a second, every time", async () => {
  const stopped = [holdBy(".noonmark-store")];
  await rename("a", "k");
  stopped.push(holdBy(".noonmark-store-1"));
  await rename("b", "k");
  expect(readFileSync(at("k"), "utf8")).toBe("b");
  expect(readdirSync(folder)).toContain(".noonmark-store-2");
  for (const db of stopped) db.close();
  // A process that comes later uses the newest lock as well.
  lock = new FilesystemLock(folder);
  await rename("c", "k");
  expect(readFileSync(at("k"), "utf8")).toBe("c");
});

test("a change is abandoned if its lock was given up meanwhile", async () => {
  await rename("a", "k");
  // Another process continues with the next lock, and removes this one.
  const replaceLock = () => {
    writeFileSync(at(".noonmark-store-1"), "");
    rmSync(at(".tmp/held-0"));
  };
  await expect(rename("late", "k", replaceLock)).rejects.toThrow("ENOENT");
  expect(readFileSync(at("k"), "utf8")).toBe("a");
});

test("a change is abandoned if there is a newer lock before its check", async () => {
  await rename("a", "k");
  const replaceLock = vi.spyOn(Database.prototype, "exec").mockImplementationOnce(function (
    this: Database.Database,
    sql,
  ) {
    replaceLock.mockRestore();
    writeFileSync(at(".noonmark-store-1"), "");
    return this.exec(sql);
  });
  await expect(rename("late", "k", () => expect.unreachable())).rejects.toThrow("another writer took over");
  expect(readFileSync(at("k"), "utf8")).toBe("a");
  await rename("b", "k");
  expect(readFileSync(at("k"), "utf8")).toBe("b");
});

test("a killed deletion or put leaves a free lock", async () => {
  mkdirSync(at(".tmp/held-0"));
  writeFileSync(at(".tmp/held-0/deleted"), "");
  await rename("a", "k");
  writeFileSync(at(".tmp/held-0"), "");
  await lock.remove(at("k"), end());
  expect([readdirSync(folder).sort(), readdirSync(at(".tmp"))]).toEqual([[".noonmark-store", ".tmp"], []]);
});

test("a change is abandoned after its time limit", async () => {
  writeFileSync(at("a"), "late");
  await expect(lock.rename(at("a"), at("k"), performance.now() - 1, () => {})).rejects.toThrow("time limit");
  expect(readdirSync(folder)).not.toContain("k");
});
