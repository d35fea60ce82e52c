/** A process that is stopped within a put blocks no other process, and its put is not executed when it resumes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { plain, sample } from "../object-store/samples.ts";
import { stop, until } from "../support/processes.ts";
import { testFolder } from "../support/test-folder.ts";

const SOURCES = join(import.meta.dirname, "../..");
/** Stops itself at the system call that makes the change visible. */
const STOPPED = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
const [directory, call] = process.argv.slice(1);
const { FilesystemStore } = await import("${SOURCES}/src/object-store/filesystem/filesystem-store.ts");
const { fileOfKey } = await import("${SOURCES}/src/object-store/filesystem/format.ts");
const target = join(directory, fileOfKey("k"));
const { sample } = await import("${SOURCES}/test/object-store/samples.ts");
const store = new FilesystemStore(directory, { write: true });
let stops = 1;
for (const name of ["renameSync", "unlinkSync"]) {
  const real = fs[name];
  fs[name] = (...paths) => {
    if (paths.includes(target) && stops-- > 0) process.kill(process.pid, "SIGSTOP");
    return real(...paths);
  };
}
syncBuiltinESMExports();
const { tag } = await store.get("k");
await (call === "put" ? store.put("k", sample("late"), { ifTag: tag }) : store.delete("k")).catch(() => {
  process.exitCode = 9;
});
`;

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

it.each(["put", "deletion"])("another process can put, and the %s changes nothing when it resumes", async (call) => {
  const store = new FilesystemStore(folder, { write: true });
  const tag = await store.put("k", sample("first"));
  const child = spawn(process.execPath, ["--input-type=module", "-e", STOPPED, folder, call], { stdio: "inherit" });
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  try {
    await until("the child has stopped", async () => / T /.test(readFileSync(`/proc/${child.pid}/stat`, "utf8")));
    turns = 0;
    await store.put("k", sample("second"), { ifTag: tag });
    // The wait for the lock leaves this process free for other work.
    expect(turns).toBeGreaterThan(3);
    child.kill("SIGCONT");
    await once(child, "exit");
    expect(plain(await store.get("k"))?.body).toBe("second");
  } finally {
    clearInterval(timer);
    await stop(child);
  }
});
