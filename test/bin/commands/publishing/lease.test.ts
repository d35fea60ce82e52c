import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { systemClock, WatchedClock } from "../../../../publish/clock/clock.ts";
import { Lease } from "../../../../publish/lease/lease.ts";
import { readLease } from "../../../../publish/lease/lease-record.ts";
import { FilesystemStore } from "../../../../src/object-store/filesystem/filesystem-store.ts";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

describe("noonmark lease release", () => {
  let directory: string;
  beforeEach(() => {
    directory = testFolder();
  });
  const release = (...flags: string[]) => runCli(["lease", "release", "--store", "public", ...flags], directory);

  test("it creates no store", async () => {
    expect(await release("--force")).toMatchObject({ exitCode: 74, stdout: "" });
    expect(existsSync(join(directory, "public"))).toBe(false);
  });

  test("it keeps a fresh lease unless forced, and the former holder then reports why it stopped", async () => {
    const store = new FilesystemStore(join(directory, "public"), { write: true });
    const lease = await Lease.take(
      store,
      new WatchedClock(systemClock),
      { holder: "me", holderName: "here process 1" },
      undefined,
    );
    const refused = await release();
    expect(refused).toMatchObject({ exitCode: 75, stdout: "" });
    expect(refused.stderr).toMatch(/^noonmark: lease_fresh: publisher me renewed the lease at .*Z: it may be alive\n/);
    expect((await readLease(store))?.record.released).toBe(false);
    expect(await release("--force")).toMatchObject({ exitCode: 0, stdout: "released epoch 1 of publisher me\n" });
    await expect(lease.renew({})).rejects.toMatchObject({
      code: "lease_lost",
      message: "this publisher's lease was released by hand (`noonmark lease release`)",
    });
    expect(await release()).toMatchObject({
      exitCode: 0,
      stdout: "epoch 1 of publisher me has been released already\n",
    });
  });
});
