/** A nearly full disk: a tmpfs of a few pages, if this user can mount one. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why a tmpfs cannot be mounted, for the test's name; undefined if it can. */
export const NO_SMALL_DISK: string | undefined = reasonAgainst();

export interface SmallDisk {
  readonly path: string;
  /** Fills the disk until this many bytes are free, rounded to whole pages. */
  leave(bytes: number): void;
  unmount(): void;
}

/** `kib` is the total size. */
export function smallDisk(kib: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "noonmark-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", path]);
  return {
    path,
    leave: (bytes) => {
      const { bavail, bsize } = statfsSync(path);
      try {
        writeFileSync(join(path, "ballast"), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
      } catch (error) {
        // A process under test may take the last pages meanwhile. The disk is full then, too.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    unmount: () => {
      // Lazy unmount, because a store keeps some files open.
      execFileSync("umount", ["-l", path]);
      rmdirSync(path);
    },
  };
}

function reasonAgainst(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "noonmark-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4k", "tmpfs", path]);
  if (status === 0) execFileSync("umount", [path]);
  rmdirSync(path);
  return status === 0 ? undefined : "this user cannot mount a tmpfs";
}
