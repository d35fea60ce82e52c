/** Versions as npm writes them; what stands behind a hyphen counts less than nothing there. */

/** Whether `one` is a later version than `other`; false where either is not known. */
export function isNewerProgram(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [a, b] = [numbersOf(one), numbersOf(other)];
  for (const [index, number] of a.entries()) {
    if (number !== b[index]) return number > (b[index] ?? 0);
  }
  return false;
}

/** Major, minor, patch, and 1 for a release or 0 for what comes before it. */
function numbersOf(version: string): number[] {
  const [core = "", before] = version.split("-", 2);
  const numbers = core.split(".").map(Number);
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0, before === undefined ? 1 : 0];
}
