/**
 * Renders equal JSON values as equal texts: keys sorted by code units, numbers as ECMAScript reads them. It uses an
 * explicit stack because a line may nest half a million levels deep, where JSON.stringify fails.
 */
export function canonicalJson(root: unknown): string {
  const out: string[] = [];
  const open: Level[] = [];
  let value = root;
  for (;;) {
    if (typeof value === "object" && value !== null) {
      open.push(levelOf(value));
    } else {
      out.push(scalar(value));
    }
    // Close complete containers, then continue with the next member of the innermost open one.
    let level = open.at(-1);
    while (level !== undefined && level.next === level.members) {
      out.push(level.next === 0 ? level.empty : level.close);
      open.pop();
      level = open.at(-1);
    }
    if (level === undefined) return out.join("");
    out.push(level.next === 0 ? level.begin : ",");
    value = member(level, out);
  }
}

interface Level {
  readonly container: Readonly<Record<string, unknown>> | readonly unknown[];
  /** The sorted keys of an object; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly members: number;
  readonly begin: "{" | "[";
  readonly close: "}" | "]";
  readonly empty: "{}" | "[]";
  next: number;
}

function levelOf(container: object): Level {
  if (Array.isArray(container)) {
    return { container, keys: undefined, members: container.length, begin: "[", close: "]", empty: "[]", next: 0 };
  }
  const keys = Object.keys(container).sort();
  const object = container as Readonly<Record<string, unknown>>;
  return { container: object, keys, members: keys.length, begin: "{", close: "}", empty: "{}", next: 0 };
}

function member(level: Level, out: string[]): unknown {
  const index = level.next++;
  if (level.keys === undefined) return (level.container as readonly unknown[])[index];
  const key = level.keys[index] as string;
  out.push(JSON.stringify(key), ":");
  return (level.container as Readonly<Record<string, unknown>>)[key];
}

/** JSON.parse reads 1e400 as Infinity, and JSON.stringify would print that as null. */
function scalar(value: unknown): string {
  if (value === Number.POSITIVE_INFINITY) return "1e999";
  if (value === Number.NEGATIVE_INFINITY) return "-1e999";
  return JSON.stringify(value);
}
