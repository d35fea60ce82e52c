/** Formats a cycle's report for pipes, programs and terminals. */
import type { CycleReport, ReportRow } from "../../../publish/report.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { reported } from "../failures.ts";

/** Formats one line for a pipe, because cron mails everything that a run prints. */
export function reportSummary(report: CycleReport): string {
  const counts = ["created", "updated", "unchanged", "failed"].map(
    (action) => `${report.rows.filter((row) => row.action === action).length} ${action}`,
  );
  return `as of ${formatTimestamp(report.at)}: ${counts.join(", ")}`;
}

/** Condenses runs of new tiles to one row each. */
function condensed(rows: readonly ReportRow[]): ReportRow[] {
  const result: ReportRow[] = [];
  let run: { first: string; last: string; count: number } | undefined;
  for (const row of rows) {
    const [, folder = "", tile = ""] = /^(.*\/observations\/[^/]+)\/(\d+)$/.exec(row.key) ?? [];
    const previous = result.at(-1);
    if (tile === "" || previous === undefined || run === undefined || previous.action !== row.action) {
      result.push(row);
      run = tile === "" ? undefined : { first: tile, last: tile, count: 1 };
      continue;
    }
    run = { ...run, last: tile, count: run.count + 1 };
    result[result.length - 1] = {
      ...row,
      key: `${folder}/${run.first}–${run.last} (${run.count} tiles)`,
      bytes: previous.bytes + row.bytes,
      milliseconds: previous.milliseconds + row.milliseconds,
    };
  }
  return result;
}

/** Formats a table for a terminal. Only this form loads the table library. */
export async function reportTable(report: CycleReport): Promise<string[]> {
  const { tableLines } = await import("../table.ts");
  const rows = condensed(report.rows).map(({ key, action, why, status, bytes, etag, milliseconds }) => {
    const tag = etag === null ? "" : etag.length > 16 ? `${etag.slice(0, 12)}…"` : etag;
    return [key, action, why, status ?? "", bytes, tag, milliseconds.toFixed(1)];
  });
  return tableLines(["key", "", "why", "status", "bytes", "ETag", "ms"], rows, { hasLines: true });
}

/** Formats for `--json`, with the instant as a timestamp. */
export function reportJson(report: CycleReport): unknown {
  return {
    at: formatTimestamp(report.at),
    rows: report.rows,
    failures: report.failures.map(reported),
    warnings: report.warnings.map(reported),
  };
}
