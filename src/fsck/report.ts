/** A report for people, one line a finding, and for machines. */
import type { FsckReport } from "./fsck.ts";

export function reportLines({ objects, findings }: FsckReport): string[] {
  return [
    ...findings.map(({ rule, key, says }) => `FAIL ${rule} ${key}: ${says}`),
    `${objects} objects, ${findings.length} findings`,
  ];
}

export function reportJson({ objects, findings }: FsckReport): string {
  return JSON.stringify({ objects, findings });
}
