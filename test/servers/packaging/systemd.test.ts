/** The units in packaging/systemd, checked by systemd, and a publisher that notifies a stand-in service manager. */
import { execFileSync, spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCli } from "../../support/cli.ts";
import { stop, until } from "../../support/processes.ts";

const ROOT = join(import.meta.dirname, "../../..");
const UNITS = globSync("packaging/systemd/*.{service,timer}", { cwd: ROOT });
const SERVICES = UNITS.filter((path) => path.endsWith(".service"));
/** Exposure level out of 10. systemd calls a level below 2 OK, and up to 5 medium. */
const MAX_EXPOSURE = 2;

const folder = sharedFolder();

test("systemd-analyze verify accepts the units if the program is installed", () => {
  const machine = `mount -t tmpfs none /usr/local/bin && ln -s ${ROOT}/bin/noonmark.js /usr/local/bin/noonmark
systemd-analyze verify ${UNITS.join(" ")} 2>&1`;
  expect(execFileSync("unshare", ["--mount", "bash", "-ec", machine], { cwd: ROOT, encoding: "utf8" })).toBe("");
});

test("a process of several differs from a single shim in its description, command and comment only", () => {
  const [one, several] = ["noonmark-serve", "noonmark-serve@"].map((name) =>
    readFileSync(join(ROOT, `packaging/systemd/${name}.service`), "utf8")
      .split("\n")
      .filter((line) => !/^(?:# |Description=|ExecStart=)/.test(line)),
  );
  expect(several).toEqual(one);
});

test.each(SERVICES)("%s is sandboxed", (path) => {
  const args = ["security", "--offline=true", "--no-pager", `--threshold=${MAX_EXPOSURE * 10}`, path];
  expect(execFileSync("systemd-analyze", args, { cwd: ROOT, encoding: "utf8" })).toContain("Overall exposure level");
});

/** Prints each datagram to NOTIFY_SOCKET as a line. */
const LISTENER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
while True: print(" ".join(s.recvmsg(4096, 4096)[0].decode().split("\\n")), flush=True)
`;

import { sharedFolder } from "../../support/test-folder.ts";

test("a publisher notifies its start and stop, and pings the watchdog", async () => {
  const socket = join(folder, "notify");
  const listener = spawn("/usr/bin/python3", ["-c", LISTENER, socket], { stdio: ["ignore", "pipe", "inherit"] });
  let notifications = "";
  listener.stdout.on("data", (data: Buffer) => (notifications += data.toString()));
  const fed = () => notifications.split("WATCHDOG=1").length - 1;
  await until("the listener is ready", async () => notifications.includes("listening"));
  // Uses systemd's message format; the command inherits the environment.
  Object.assign(process.env, { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "2000000" });
  const publisher = startCli(
    ["publish", "--installation-id", "wheel-1", "--ledger", "none", "--store", "public"],
    folder,
  );
  try {
    await until("the publisher has started", async () => notifications.includes("READY=1 STATUS=publishing to "));
    await until("the watchdog was pinged", async () => fed() >= 3);
    publisher.kill("SIGTERM");
    await until("the publisher announces its stop", async () => notifications.includes("STOPPING=1"));
  } finally {
    delete process.env.NOTIFY_SOCKET;
    delete process.env.WATCHDOG_USEC;
    await stop(publisher);
    await stop(listener);
  }
});
