/** A completed put is synced: after a power cut a directory is there only if its parent was synced too. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";

/** Directories in the order in which they were made and synced. */
const calls = vi.hoisted(() => [] as { readonly what: "made" | "synced"; readonly path: string }[]);

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const open = new Map<number, string>();
  return {
    ...fs,
    mkdirSync: (path: string, options?: object) => {
      const made = fs.mkdirSync(path, options);
      calls.push({ what: "made", path });
      return made;
    },
    openSync: (path: string, ...rest: [string]) => {
      const fd = fs.openSync(path, ...rest);
      open.set(fd, path);
      return fd;
    },
    fsyncSync: (fd: number) => {
      fs.fsyncSync(fd);
      calls.push({ what: "synced", path: open.get(fd) ?? "" });
    },
  };
});

const folder = mkdtempSync(join(tmpdir(), "noonmark-durable-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a put into new directories returns once each of their parents is synced, the store's own too", async () => {
  const directory = join(folder, "data", "public");
  const store = new FilesystemStore(directory, { write: true });
  const object = { body: new Uint8Array([1]), contentType: "text/plain", metadata: {} };
  await store.put("v1/public/installations/~wheel-1/observations/1/0", object);
  const made = calls.flatMap(({ what, path }, index) => (what === "made" ? [{ path, index }] : []));
  expect(made.map(({ path }) => path)).toContain(join(directory, "v1", "public"));
  for (const { path, index } of made) {
    const later = calls.slice(index).some(({ what, path: synced }) => what === "synced" && synced === dirname(path));
    expect([path, later]).toEqual([path, true]);
  }
  // The mark, without which nothing of the store is believed.
  expect(calls).toContainEqual({ what: "synced", path: directory });
});
