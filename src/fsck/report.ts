/** A report for people, one line a finding, and for machines. */
import { printable } from "../values/printable.ts";
import type { FsckReport } from "./fsck.ts";
import type { Finding } from "./rules.ts";

/** `repaired`: what was found before a repair and is no more. */
export type Report = FsckReport & { readonly repaired?: readonly Finding[] };

export function reportLines({ objects, findings, repaired }: Report): string[] {
  const counts = [`${objects} objects`, `${findings.length} findings`];
  if (repaired !== undefined) counts.push(`${repaired.length} repaired`);
  return [
    ...(repaired ?? []).map((finding) => `DONE ${lineOf(finding)}`),
    ...findings.map((finding) => `FAIL ${lineOf(finding)}`),
    counts.join(", "),
  ];
}

/** A key may have 1,024 bytes, and is to be found again by. */
function lineOf({ rule, key, says }: Finding): string {
  return `${rule} ${printable(key, 1_024)}: ${printable(says)}`;
}

export function reportJson({ objects, findings, repaired }: Report): string {
  return JSON.stringify({ objects, findings, ...(repaired === undefined ? {} : { repaired }) });
}
