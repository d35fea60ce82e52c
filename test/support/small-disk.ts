/** A disk that is nearly full: a tmpfs of a few pages, where this user may mount one. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why there can be none, for a test's name; undefined where there can. */
export const noSmallDisk: string | undefined = reasonAgainst();

export interface SmallDisk {
  readonly path: string;
  /** Fills it up, so that so many bytes are left, in whole pages. */
  leave(bytes: number): void;
  unmount(): void;
}

/** `kib` is its whole size. */
export function smallDisk(kib: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "noonmark-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", path]);
  return {
    path,
    leave: (bytes) => {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(join(path, "ballast"), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
    },
    unmount: () => {
      // Lazily: a store keeps files open that it has read twice.
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
  return status === 0 ? undefined : "no tmpfs can be mounted here";
}
