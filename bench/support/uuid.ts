/** A UUID that holds a number, so that it is told apart and found again. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}
