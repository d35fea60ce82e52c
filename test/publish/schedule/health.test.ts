/** The publisher's health and its reports of ticks and cycles (docs/spec/people.md#metrics). */
import { expect, test } from "vitest";
import type { CycleReport, ReportRow } from "../../../publish/report.ts";
import { TickHealth, watchedPublisher } from "../../../publish/schedule/health.ts";
import type { Scheduled } from "../../../publish/schedule/schedule.ts";
import { Failure } from "../../../src/values/failure.ts";

const ROW: ReportRow = {
  key: "k",
  resource: "process",
  action: "updated",
  why: "",
  status: 200,
  bytes: 1,
  etag: null,
  milliseconds: 1,
};
const REPORT: CycleReport = { at: 1, rows: [ROW], failures: [], warnings: [] };

/** A publisher whose cycle takes 1.5 s and then ends with `ending`. */
function subject(ending: () => CycleReport) {
  let now = 0;
  const reported: string[] = [];
  const publisher: Scheduled = {
    instant: (at) => at,
    nextDue: () => undefined,
    scrubIfDue: async () => {},
    isIdle: (at) => at === 1,
    renewIfDue: async () => {},
    async cycle() {
      now += 1_500;
      return ending();
    },
  };
  const clock = { wall: () => now, monotonic: () => now };
  const watched = watchedPublisher(publisher, clock, {
    renewed: (error) => reported.push(`renewed ${String(error)}`),
    cycled: (outcome, seconds, error) => reported.push(`${outcome} ${seconds} ${String(error)}`),
  });
  return { watched, reported };
}

test.each([
  ["done", REPORT],
  ["partial", { ...REPORT, rows: [{ ...ROW, action: "failed" as const }] }],
  ["partial", { ...REPORT, failures: [new Failure("ledger_behind", "")] }],
])("a cycle is reported as %s with its seconds", async (outcome, report) => {
  const { watched, reported } = subject(() => report);
  expect(await watched.cycle(2)).toBe(report);
  expect(reported).toEqual([`${outcome} 1.5 undefined`]);
});

function tickHealth() {
  const clock = { now: 5_000 };
  return { clock, health: new TickHealth(() => clock.now) };
}

test("a publisher is healthy while ticks finish, and for a minute after one was due", () => {
  const { clock, health } = tickHealth();
  expect(health.state()).toEqual({ isWell: true, phase: "starting", quietSeconds: 0 });
  health.reached("publishing", 300_000);
  clock.now += 360_000;
  expect(health.state()).toEqual({ isWell: true, phase: "publishing", quietSeconds: 360 });
  clock.now += 1;
  expect(health.state()).toEqual({
    isWell: false,
    phase: "publishing",
    quietSeconds: 360,
    reason: "no tick has finished for 360 s, although one was due",
  });
  health.reached("publishing", 1_000);
  expect(health.state()).toMatchObject({ isWell: true, quietSeconds: 0 });
});
