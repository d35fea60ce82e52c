/** A cycle's report on a terminal: a table, tiles in a row counted instead of listed. */
import Table from "cli-table3";
import type { CycleReport } from "../../../publish/report.ts";
import { condensed, reportSummary } from "./report-lines.ts";

export function reportTable(report: CycleReport): string {
  const table = new Table({
    head: ["key", "", "why", "status", "bytes", "ETag", "ms"],
    style: { head: [], border: [] },
  });
  for (const row of condensed(report.rows)) {
    const etag = row.etag === null ? "" : row.etag.length > 16 ? `${row.etag.slice(0, 12)}…"` : row.etag;
    table.push([row.key, row.action, row.why, row.status ?? "", row.bytes, etag, row.milliseconds.toFixed(1)]);
  }
  return `${table.toString()}\n${reportSummary(report)}`;
}
