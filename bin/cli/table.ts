/** Formats tables for people. */
import Table from "cli-table3";

const PARTS = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"].concat(
  ["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"],
);
const NO_LINES = Object.fromEntries(PARTS.map((part) => [part, ""]));

export interface TableForm {
  /** True for lines between the cells; otherwise two spaces separate them. */
  readonly hasLines: boolean;
  /** True if all columns but the first are numbers, which are right-aligned. */
  readonly isNumeric?: boolean;
}

/** Returns a table's lines without trailing spaces. */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { hasLines, isNumeric = false }: TableForm,
): string[] {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, index) => (isNumeric && index > 0 ? "right" : "left")),
    style: { head: [], border: [], ...(hasLines ? {} : { "padding-left": 0, "padding-right": 2 }) },
    ...(hasLines ? {} : { chars: NO_LINES }),
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}
