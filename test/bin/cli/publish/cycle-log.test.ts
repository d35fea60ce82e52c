import { pino } from "pino";
import { expect, test } from "vitest";
import { cycleLog } from "../../../../bin/cli/publish/hold-and-publish.ts";
import type { CycleReport, ReportRow } from "../../../../publish/report.ts";

const row: ReportRow = {
  key: "v1/public/telemetry",
  resource: "telemetry",
  action: "updated",
  why: "",
  status: 200,
  bytes: 1,
  etag: null,
  milliseconds: 1,
};

test("the first cycle that puts something is logged at once, the others once a minute as a sum", () => {
  const lines: { cycles: number; put: number }[] = [];
  let now = 0;
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const cycled = cycleLog(log, () => now);
  for (; now <= 120_000; now += 1_000) {
    const report: CycleReport = { at: now, rows: [row, row], failures: [], warnings: [] };
    cycled(report);
  }
  expect(lines.map(({ cycles, put }) => [cycles, put])).toEqual([
    [1, 2],
    [60, 120],
    [60, 120],
  ]);
});
