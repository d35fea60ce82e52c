/** JSON for a reader: long lists show how they go on and not all of it. */
const SHOWN = 2;
const LONG = 4;

export function shortened(value: unknown): string {
  if (typeof value === "string") return value;
  return lines(value, "").join("\n");
}

function lines(value: unknown, indent: string): string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? shown(value).map((item): [string, unknown] => ["", item])
    : Object.entries(value).map(([name, item]): [string, unknown] => [`${JSON.stringify(name)}: `, item]);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return [open + close];
  const left = Array.isArray(value) ? value.length - entries.length : 0;
  const texts = entries.map(([label, item]) => inner + label + lines(item, inner).join("\n"));
  const rest = left === 0 ? "" : `,\n${inner}… ${left} more`;
  return [`${open}\n${texts.join(",\n")}${rest}\n${indent}${close}`];
}

function shown(items: readonly unknown[]): readonly unknown[] {
  return items.length > LONG ? items.slice(0, SHOWN) : items;
}
