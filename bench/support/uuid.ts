/** A UUID with a number in it, so that it can be recognised and found again. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}
