/** The configuration of the NATS servers in packaging/docker. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../support/processes.ts";
import { sharedFolder } from "../../support/test-folder.ts";
import { makeUserKey } from "../stream/nats-accounts.ts";

const PATH = join(import.meta.dirname, "../../../packaging/docker/nats.conf");
const NAMES = [
  "NATS_NAME=nats-1",
  ...["ADMIN", "SENDER", "READER"].map((user) => `NATS_${user}=${makeUserKey().name}`),
];
const folder = sharedFolder();

test("the servers' file is valid", async () => {
  const path = join(folder, "nats.conf");
  // Debian's nats-server 2.9 does not know this setting.
  const [before, after, ...rest] = readFileSync(PATH, "utf8").split("  sync_interval: always\n");
  expect(rest).toEqual([]);
  writeFileSync(path, `${before}${after}`);
  await run("/usr/bin/env", [...NAMES, "/usr/sbin/nats-server", "-t", "-c", path]);
});
