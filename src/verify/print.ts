/** A report for people, one line a finding, and for machines. */
import type { Finding, Report } from "../judge/report.ts";

export function findingLine({ rule, route, expected, saw, spec, mend }: Finding): string {
  return `FAIL ${rule} ${route}: expected ${expected}, saw ${saw} (${spec}; mend: ${mend})`;
}

export function reportLines({ checks, findings, skipped }: Report): string[] {
  return [
    ...findings.map(findingLine),
    ...skipped.map(({ rule, why }) => `SKIP ${rule}: ${why}`),
    `${checks} checks, ${findings.length} findings, ${skipped.length} skipped`,
  ];
}

export function reportJson({ checks, findings, skipped }: Report): string {
  return JSON.stringify({ checks, findings, skipped });
}
