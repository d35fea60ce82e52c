/** A publisher's notifications to its service manager (docs/spec/people.md#packaging). */
import { expect, test } from "vitest";
import { serviceManager } from "../../../../bin/cli/publish/service-manager.ts";

const PID = 7;

function notifications(environment: NodeJS.ProcessEnv) {
  let now = 0;
  const messages: string[] = [];
  const manager = serviceManager({
    environment,
    pid: PID,
    monotonic: () => now,
    notify: (words) => messages.push(words.join(" ")),
  });
  return { manager, messages, after: (ms: number) => (now += ms) };
}

test("without a service manager no notification is sent", () => {
  const { manager, messages } = notifications({ WATCHDOG_USEC: "1000000" });
  manager.began("publishing");
  manager.rested();
  manager.ending();
  expect(messages).toEqual([]);
});

test("the watchdog gets four pings per interval, for any number of ticks", () => {
  const { manager, messages, after } = notifications({
    NOTIFY_SOCKET: "/run/n",
    WATCHDOG_USEC: "60000000",
    WATCHDOG_PID: String(PID),
  });
  manager.began("publishing");
  for (let turn = 0; turn < 60; turn++) {
    manager.rested();
    after(1_000);
  }
  manager.ending();
  expect(messages).toEqual(["READY=1 STATUS=publishing", ...Array(4).fill("WATCHDOG=1"), "STOPPING=1"]);
});

test.each([
  ["no watchdog", { NOTIFY_SOCKET: "/run/n" }],
  ["another process's watchdog", { NOTIFY_SOCKET: "/run/n", WATCHDOG_USEC: "60000000", WATCHDOG_PID: "8" }],
])("%s gets no notification", (_, environment) => {
  const { manager, messages } = notifications(environment);
  manager.rested();
  expect(messages).toEqual([]);
});
