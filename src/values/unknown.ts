/** Reads values whose type is not known: caught errors, parsed JSON, an element that must exist. */

/** Returns the value as an object with any fields; without own fields for null and undefined. */
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

/** Returns the message of the innermost cause. `fetch` wraps it in an error that says nothing. */
export function rootMessage(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return errorMessage(root);
}

/** Returns the caught value as an Error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Returns the names of the object's own fields. */
export function namesOf<Fields extends object>(fields: Fields): (keyof Fields & string)[] {
  return Object.keys(fields) as (keyof Fields & string)[];
}

export function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return names.some((one) => one === name);
}

/** Returns an object with one field for each name. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}

/** Throws `RangeError` if the list has no element at this index. */
export function elementAt<Element>(list: ArrayLike<Element>, index: number): Element {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return found;
}
