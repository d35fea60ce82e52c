/**
 * Messages about files that another user owns: they have the path, the user and the remedy. The commands run as
 * `nobody`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { cliEnvironment, PROGRAM, runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const NOBODY = ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"];
/** Only root can switch to another user. */
const noNobody = spawnSync("setpriv", [...NOBODY, process.execPath, "--version"]).status !== 0;

/** The remedy names the owner. A new owner would take the file away from the program that uses it. */
const AS_ROOT = "  Run the command as the owner: runuser -u root -- noonmark …\n";

let folder: string;
/** Owned by root and readable by all. */
let ofRoot: string;
/** Writable by all. */
let open: string;

beforeEach(async () => {
  folder = testFolder();
  [ofRoot, open] = [join(folder, "root"), join(folder, "open")];
  chmodSync(folder, 0o755);
  mkdirSync(ofRoot, { mode: 0o755 });
  mkdirSync(open);
  chmodSync(open, 0o777);
  await runCli(["ingest", "--ledger", join(ofRoot, "ledger.db"), "/dev/null"], folder);
});

function asNobody(...arguments_: string[]) {
  const done = spawnSync("setpriv", [...NOBODY, process.execPath, PROGRAM, ...arguments_], {
    cwd: open,
    env: cliEnvironment(),
  });
  return { exitCode: done.status, stderr: done.stderr.toString() };
}

const publish = (flags: Record<string, string>) => {
  const given = { ledger: "none", store: join(open, "store"), state: join(open, "state"), ...flags };
  return asNobody(
    "publish",
    "--once",
    "--installation-id",
    "x",
    ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]),
  );
};

test.skipIf(noNobody)("an unwritable ledger is reported with its path, the user and the remedy", () => {
  const ledger = join(ofRoot, "ledger.db");
  expect(asNobody("ingest", "--ledger", ledger, "/dev/null")).toEqual({
    exitCode: 74,
    stderr:
      `noonmark: ledger_unwritable: the ledger ${ledger} cannot be opened for writing: the user nobody may not write ${ledger}\n` +
      AS_ROOT,
  });
});

test.skipIf(noNobody)("an unreadable ledger is reported with its path, the user and the remedy", () => {
  const ledger = join(ofRoot, "ledger.db");
  expect(publish({ ledger })).toEqual({
    exitCode: 74,
    stderr:
      `noonmark: ledger_unreadable: the ledger ${ledger} cannot be read: the user nobody may not read ${ledger}\n` +
      AS_ROOT,
  });
});

test.skipIf(noNobody)("a readable ledger in an unwritable directory is reported with SQLite's extra files", () => {
  const ledger = join(ofRoot, "ledger.db");
  chmodSync(ledger, 0o644);
  const { exitCode, stderr } = publish({ ledger });
  expect(exitCode).toBe(74);
  expect(stderr).toContain(
    `the user nobody may not create files in ${ofRoot}, where ${ledger} needs a -wal and a -shm file beside it`,
  );
  expect(stderr).toContain(AS_ROOT);
});

test.skipIf(noNobody)("a new ledger, state or store in an unwritable directory is reported with its path", () => {
  writeFileSync(join(ofRoot, "published.db"), "");
  const message = `the user nobody may not create files in ${ofRoot}\n`;
  const todo = AS_ROOT;
  for (const [code, { exitCode, stderr }] of [
    ["ledger_unwritable", asNobody("ingest", "--ledger", join(ofRoot, "new.db"), "/dev/null")],
    ["state_unusable", publish({ state: join(ofRoot, "state") })],
  ] as const) {
    expect([exitCode, stderr]).toEqual([74, expect.stringContaining(message)]);
    expect(stderr).toContain(`noonmark: ${code}: `);
    expect(stderr).toContain(todo);
  }
  const store = publish({ store: join(ofRoot, "store") });
  expect(store.stderr).toContain(
    `noonmark: store_unwritable: the store ${join(ofRoot, "store")} cannot be written (the user nobody may not create files in ${ofRoot})\n`,
  );
  expect(store.stderr).toContain(todo);
  const state = publish({ state: ofRoot });
  expect(state.stderr).toContain(`the user nobody may not write ${join(ofRoot, "published.db")}\n`);
});

test.skipIf(noNobody)("the group of a file is named, if it is not root's, with the right that it lacks", () => {
  const ledger = join(ofRoot, "ledger.db");
  chownSync(ledger, 0, 65_534);
  expect(asNobody("ingest", "--ledger", ledger, "/dev/null").stderr).toContain(
    ` Or add nobody to its group: usermod --append --groups nogroup nobody && chmod g+rw ${ledger}\n`,
  );
});

test.skipIf(noNobody)("status needs nothing but the store", async () => {
  const config = join(ofRoot, "noonmark.json");
  writeFileSync(config, JSON.stringify({ installationId: "x", ledger: "ledger.db", store: "store", state: "state" }));
  chmodSync(config, 0o644);
  expect((await runCli(["publish", "--once"], ofRoot)).exitCode).toBe(0);
  const { exitCode, stderr } = asNobody("status", "--store", join(ofRoot, "store"));
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("ledger")]);
});

test.skipIf(noNobody)(
  "below a directory that the user may not enter, store and ledger are unreadable, and not missing",
  () => {
    const closed = join(ofRoot, "closed");
    const store = join(closed, "store");
    mkdirSync(closed, { mode: 0o700 });
    const denied = `the store ${store} cannot be read (EACCES: permission denied, stat '${store}')\n`;
    expect(asNobody("fsck", "--store", store)).toEqual({
      exitCode: 74,
      stderr: `noonmark: store_unreadable: ${denied}${AS_ROOT}`,
    });
    expect(asNobody("ledger", "export", "--ledger", join(closed, "ledger.db"))).toEqual({
      exitCode: 74,
      stderr: expect.stringMatching(
        /^noonmark: ledger_unreadable: .*\n {2}Run the command as the owner: runuser -u root /,
      ),
    });
    const ledger = join(open, "ledger.db");
    expect(asNobody("ingest", "--ledger", ledger, "--store", store, "/dev/null")).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(`: store_unreadable: ${denied}`),
    });
  },
);

test("an address of another machine is reported as a wrong host, not as a wrong port", async () => {
  mkdirSync(join(open, "store"));
  const { exitCode, stderr } = await runCli(["serve", "--store", "store", "--port", "0", "--host", "192.0.2.1"], open);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr:
      "noonmark: address_unusable: this machine has no address 192.0.2.1 (EADDRNOTAVAIL)\n" +
      "  Give a host of this machine (127.0.0.1, 0.0.0.0 or ::, or one that `ip address` lists) and a port above 1023.\n",
  });
});
