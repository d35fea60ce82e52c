/** Single-field mutations of a body, each with a name that describes it. */
export interface Mutation {
  readonly kind: string;
  /** A path such as `activity.days.0.date`. */
  readonly path: string;
  /** The changed body. All mutations share one object, so read it before requesting the next. */
  readonly body: unknown;
}

/** Number of items of a list to mutate, from its start. The others have the same shape. */
const ITEMS = 2;

type Replace = (value: unknown) => unknown;
interface Kind {
  readonly kind: string;
  applies(value: unknown, name: string): boolean;
  readonly replace: Replace;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTimestamp = (value: unknown) => isText(value) && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);
const isDecimal = (value: unknown) => isText(value) && /^(?:0|[1-9]\d*)$/.test(value);
const isHash = (value: unknown) => isText(value) && /^0x[0-9a-f]{64}$/.test(value) && /[a-f]/.test(value);
/** A word of the API: an enum value or constant in every schema. */
const WORDS = new Set(["status", "state", "coverage", "range", "category", "lifecycle", "freshness", "provenance"]);

const REPLACEMENTS: readonly Kind[] = [
  { kind: "null", applies: (value) => value !== null, replace: () => null },
  { kind: "other type", applies: () => true, replace: otherType },
  { kind: "number for decimal string", applies: isDecimal, replace: (value) => Number(value) },
  { kind: "string for number", applies: (value) => typeof value === "number", replace: String },
  { kind: "bad timestamp", applies: isTimestamp, replace: (value) => (value as string).replace(/-\d\dT/, "-41T") },
  {
    kind: "timestamp with an offset",
    applies: isTimestamp,
    replace: (value) => (value as string).replace("Z", "+00:00"),
  },
  {
    kind: "upper-case hash",
    applies: isHash,
    replace: (value) => `0x${(value as string).slice(2).toUpperCase()}`,
  },
  { kind: "unknown word", applies: (value, name) => isText(value) && WORDS.has(name), replace: () => "sideways" },
];

/** Mutates `body` itself and restores it. */
export function* mutations(body: unknown): Generator<Mutation> {
  yield* inside(body, [], body);
}

function* inside(value: unknown, path: readonly string[], body: unknown): Generator<Mutation> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield* ofKeys(value as Record<string, unknown>, path, body);
  const names = Object.keys(value).slice(0, Array.isArray(value) ? ITEMS : undefined);
  for (const name of names) {
    yield* ofValue(value as Record<string, unknown>, name, path, body);
    yield* inside((value as Record<string, unknown>)[name], [...path, name], body);
  }
}

function* ofKeys(holder: Record<string, unknown>, path: readonly string[], body: unknown): Generator<Mutation> {
  holder.unknownKey = 1;
  yield { kind: "unknown key", path: [...path, "unknownKey"].join("."), body };
  delete holder.unknownKey;
  for (const name of Object.keys(holder)) {
    const value = holder[name];
    delete holder[name];
    yield { kind: "missing key", path: [...path, name].join("."), body };
    holder[name] = value;
  }
}

function* ofValue(
  holder: Record<string, unknown>,
  name: string,
  path: readonly string[],
  body: unknown,
): Generator<Mutation> {
  const value = holder[name];
  for (const { kind, applies, replace } of REPLACEMENTS) {
    if (!applies(value, name)) continue;
    holder[name] = replace(value);
    yield { kind, path: [...path, name].join("."), body };
    holder[name] = value;
  }
}

function otherType(value: unknown): unknown {
  if (typeof value === "boolean") return "true";
  if (typeof value === "object" && value !== null) return 7;
  return { value: true };
}
