/** A report for people, one line a finding, and for machines. */
import type { FsckReport } from "./fsck.ts";
import type { Finding } from "./rules.ts";

/** `repaired`: what was found before a repair and is no more. */
export type Report = FsckReport & { readonly repaired?: readonly Finding[] };

export function reportLines({ objects, findings, repaired }: Report): string[] {
  const counts = [`${objects} objects`, `${findings.length} findings`];
  if (repaired !== undefined) counts.push(`${repaired.length} repaired`);
  return [
    ...(repaired ?? []).map(({ rule, key, says }) => `DONE ${rule} ${key}: ${says}`),
    ...findings.map(({ rule, key, says }) => `FAIL ${rule} ${key}: ${says}`),
    counts.join(", "),
  ];
}

export function reportJson({ objects, findings, repaired }: Report): string {
  return JSON.stringify({ objects, findings, ...(repaired === undefined ? {} : { repaired }) });
}
