/**
 * Messages about files that another user owns: they have the path, the user and the remedy. The commands run as
 * `nobody`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { cliEnvironment, PROGRAM, runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const NOBODY = ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"];
/** Only root can switch to another user. */
const noNobody = spawnSync("setpriv", [...NOBODY, process.execPath, "--version"]).status !== 0;

/** The remedy when the files belong to root, as after a forgotten `runuser`. */
const gift = (path: string) => `  As root, give it to the user that runs the service: chown -R nobody: ${path}\n`;

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

function spawnAsNobody(...arguments_: string[]) {
  return spawnSync("setpriv", [...NOBODY, process.execPath, PROGRAM, ...arguments_], {
    cwd: open,
    env: cliEnvironment(),
  });
}

function asNobody(...arguments_: string[]) {
  const done = spawnAsNobody(...arguments_);
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
      `noonmark: ledger_unusable: the ledger ${ledger} cannot be opened for writing: the user nobody may not write ${ledger}, which belongs to root\n` +
      gift(ledger),
  });
});

test.skipIf(noNobody)("a new ledger, state or store in an unwritable directory is reported with its path", () => {
  writeFileSync(join(ofRoot, "publisher.lock"), "");
  const message = `the user nobody may not create files in ${ofRoot}, which belongs to root\n`;
  const todo = gift(ofRoot);
  for (const [code, { exitCode, stderr }] of [
    ["ledger_unusable", asNobody("ingest", "--ledger", join(ofRoot, "new.db"), "/dev/null")],
    ["state_unusable", publish({ state: join(ofRoot, "state") })],
  ] as const) {
    expect([exitCode, stderr]).toEqual([74, expect.stringContaining(message)]);
    expect(stderr).toContain(`noonmark: ${code}: `);
    expect(stderr).toContain(todo);
  }
  const store = publish({ store: join(ofRoot, "store") });
  expect(store.stderr).toContain(
    `noonmark: store_unusable: the store ${join(ofRoot, "store")} cannot be written: the user nobody may not create files in ${ofRoot}, which belongs to root\n`,
  );
  expect(store.stderr).toContain(todo);
  const state = publish({ state: ofRoot });
  expect(state.stderr).toContain(
    `the user nobody may not write ${join(ofRoot, "publisher.lock")}, which belongs to root\n`,
  );
});

test.skipIf(noNobody)("if the owner is not root, the command should perhaps run as that owner", () => {
  const ledger = join(ofRoot, "ledger.db");
  chownSync(ledger, 1, 1);
  expect(asNobody("ingest", "--ledger", ledger, "/dev/null").stderr).toContain(
    "\n  Run the command as daemon. Or: As root, give",
  );
});

test.skipIf(noNobody)("root gives what it makes in a directory of another owner to that owner", async () => {
  chmodSync(open, 0o755);
  chownSync(open, 65_534, 65_534);
  const flags = ["--installation-id", "x", "--ledger", "ledger.db", "--store", "store", "--state", "state"];
  await runCli(["ingest", "--ledger", "ledger.db", "/dev/null"], open);
  await runCli(["publish", "--once", ...flags], open);
  const owners = readdirSync(open, { recursive: true }).map((name) => statSync(join(open, String(name))).uid);
  expect([owners.length > 20, new Set(owners)]).toEqual([true, new Set([65_534])]);
  expect(asNobody("publish", "--once", ...flags).exitCode).toBe(0);
});

test.skipIf(noNobody)("a publisher ends, and does not wait, at a file of root in its store, and names the cure", () => {
  const store = join(open, "store");
  const flags = ["--installation-id", "x", "--ledger", "none", "--store", store, "--state", join(open, "state")];
  expect(asNobody("publish", "--once", ...flags).exitCode).toBe(0);
  chownSync(join(store, "private/head.json.http"), 0, 0);
  chmodSync(join(store, "private/head.json.http"), 0o600);
  for (const once of [["--once"], []]) {
    const { exitCode, stderr } = asNobody("publish", ...once, ...flags);
    expect([exitCode, stderr]).toEqual([74, expect.stringContaining("head.json.http, which belongs to root")]);
    expect(stderr).toContain("store_unusable");
    expect(stderr).toContain(`chown -R nobody: ${store}`);
  }
  const { stdout, status } = spawnAsNobody("status", ...flags);
  expect([status, stdout.toString()]).toEqual([1, expect.stringContaining(`chown -R nobody: ${store}`)]);
});

test.skipIf(noNobody)("a store that this user may not enter is forbidden, and not missing", () => {
  const store = join(open, "store-3");
  const flags = [
    "--installation-id",
    "wheel-1",
    "--ledger",
    "none",
    "--store",
    store,
    "--state",
    join(open, "state-3"),
  ];
  expect(asNobody("publish", "--once", ...flags).exitCode).toBe(0);
  chownSync(store, 0, 0);
  chmodSync(store, 0o750);
  for (const once of [["--once"], []]) {
    const { exitCode, stderr } = asNobody("publish", ...once, ...flags);
    expect([exitCode, stderr]).toEqual([74, expect.stringContaining(`chown -R nobody: ${store}`)]);
    expect(stderr).toContain("store_unusable");
  }
  for (const [place, name] of [
    ["state-3", "its own"],
    ["state-4", "another"],
  ] as const) {
    const { stdout, status } = spawnAsNobody("status", ...flags.slice(0, -1), join(open, place));
    expect([name, status, stdout.toString()]).toEqual([name, 1, expect.stringContaining(`chown -R nobody: ${store}`)]);
  }
});

test.skipIf(noNobody)("status needs nothing but the store, as a user of its group", async () => {
  const config = join(ofRoot, "noonmark.json");
  writeFileSync(config, JSON.stringify({ installationId: "x", ledger: "ledger.db", store: "store", state: "state" }));
  chmodSync(config, 0o644);
  const store = join(ofRoot, "store");
  mkdirSync(store);
  chownSync(store, 0, 65_534);
  expect((await runCli(["publish", "--once"], ofRoot)).exitCode).toBe(0);
  const { exitCode, stderr } = asNobody("status", "--store", store);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("ledger")]);
});

test.skipIf(noNobody)(
  "below a directory that the user may not enter, store and ledger are unreadable, and not missing",
  () => {
    const closed = join(ofRoot, "closed");
    const store = join(closed, "store");
    mkdirSync(closed, { mode: 0o700 });
    const denied = `the store ${store} is not readable: the user nobody may not read ${closed}, which belongs to root\n`;
    expect(asNobody("ledger", "restore", store, "--ledger", "new.db")).toEqual({
      exitCode: 74,
      stderr: `noonmark: store_unusable: ${denied}${gift(closed)}`,
    });
    expect(asNobody("ledger", "export", "--ledger", join(closed, "ledger.db"))).toEqual({
      exitCode: 74,
      stderr: expect.stringMatching(/^noonmark: ledger_unusable: .*\n {2}As root, give it /),
    });
    const ledger = join(open, "ledger.db");
    expect(asNobody("ingest", "--ledger", ledger, "--store", store, "/dev/null")).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(`: store_unusable: ${denied}`),
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
      "  Give a host of this machine (127.0.0.1, 0.0.0.0 or ::, or one that `ip address` lists) and a free port above 1023.\n",
  });
});
