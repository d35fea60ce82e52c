/** Reads values whose type is not known: caught errors, parsed JSON, an element that must exist. */

/** Returns the value as an object, of which any field may be read; an object without own fields for null and undefined. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}

/** True for an object with fields; false for null and for a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the code of a caught error, such as `ENOENT`; undefined if it has none. */
export function systemCode(error: unknown): string | undefined {
  const { code } = fieldsOf(error);
  return typeof code === "string" ? code : undefined;
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Throws `RangeError` if the list has no element at this index. */
export function elementAt<Element>(list: ArrayLike<Element>, index: number): Element {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return found;
}
