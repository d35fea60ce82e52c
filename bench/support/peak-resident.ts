import { readFileSync } from "node:fs";

/**
 * The greatest resident size of this process so far, in kilobytes. Not `process.resourceUsage().maxRSS`: Linux carries over
 * what the process that started this one had resident when it did. Linux alone.
 */
export function peakResidentKb(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error("/proc/self/status has no VmHWM");
  return Number(kilobytes);
}
