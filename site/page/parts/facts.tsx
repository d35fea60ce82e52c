/** A table that fits every width. Where it is too narrow for columns, each row becomes a few lines with labels. */
import type { ComponentChildren } from "preact";

export interface FactsProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly FactsRow[];
}

interface FactsRow {
  readonly key: string;
  /** The first cell is the row's heading. */
  readonly cells: readonly ComponentChildren[];
}

/** The roles stay when style.css turns rows into lines; some browsers would drop the table's meaning otherwise. */
export function Facts({ caption, columns, rows }: FactsProps) {
  const [heading, ...labels] = columns;
  return (
    <div class={columns.length > MANY ? "facts wide" : "facts"}>
      <table class="plain-table" role="table">
        <caption class="sr">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              {heading}
            </th>
            {labels.map((label) => (
              <th key={label} scope="col" role="columnheader">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells: [head, ...cells] }) => (
            <tr key={key} role="row">
              <th scope="row" role="rowheader">
                {head}
              </th>
              {cells.map((cell, index) => (
                <td key={labels[index]} role="cell" data-label={labels.length > 1 ? labels[index] : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A table with more columns than this needs a wide screen. */
const MANY = 4;
