import { readFileSync } from "node:fs";

/**
 * Peak resident memory of this process so far, in kilobytes (Linux only). `process.resourceUsage().maxRSS` is not used:
 * on Linux it includes the memory of the parent process at the fork.
 */
export function peakResidentKb(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error("/proc/self/status has no VmHWM");
  return Number(kilobytes);
}
