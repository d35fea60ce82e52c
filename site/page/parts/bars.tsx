/** A column chart, and a table with the same values. An unknown value is an outline without a height. */
import { useState } from "preact/hooks";
import { share } from "../words/number.ts";

export interface Bar {
  readonly key: string;
  /** The table's row heading. */
  readonly name: string;
  /** `null` if it is unknown. */
  readonly value: bigint | null;
  /** The table's cells, also shown on pointer and touch. */
  readonly cells: readonly string[];
  readonly mark?: "partial" | "ahead" | "peak" | undefined;
  /** Shown below the column if there is space. */
  readonly tick?: string | undefined;
}

export interface BarsProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly bars: readonly Bar[];
  /** Formats the label of the value axis from the highest value. */
  readonly top: (most: bigint) => string;
}

const HEIGHT = 96;
const WIDTH = 12;
const GAP = 2;
const LEAST = 1.5;

export function Bars({ label, columns, bars, top }: BarsProps) {
  const [words, setWords] = useState<string>();
  const showWords = ({ target }: Event) => {
    const index = target instanceof Element ? target.getAttribute("data-i") : null;
    if (index !== null) setWords(wordsOf(bars[Number(index)]));
  };
  const most = bars.reduce((top, { value }) => (value !== null && value > top ? value : top), 1n);
  const width = Math.max(bars.length, 1) * WIDTH;
  const isEmpty = bars.every(({ value }) => value === null || value === 0n);
  return (
    <div class="bars-box">
      <figure class="bars">
        {/* The axis starts at 0 and has a label only if there is a column. */}
        <p class="axis" aria-hidden="true">
          {isEmpty ? "0" : top(most)}
        </p>
        <svg
          viewBox={`0 0 ${width} ${HEIGHT + 2}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerOver={showWords}
        >
          <line class="base" x1="0" x2={width} y1={HEIGHT + 1} y2={HEIGHT + 1} />
          {bars.map(({ key, value, mark }, index) => {
            const height = heightOf(value, most, mark);
            const look = value === null ? "gap" : (mark ?? "plain");
            return (
              <g key={key}>
                <rect
                  class={look}
                  x={index * WIDTH + GAP / 2}
                  y={HEIGHT - height}
                  width={WIDTH - GAP}
                  height={height}
                />
                <rect class="reach" data-i={index} x={index * WIDTH} y="0" width={WIDTH} height={HEIGHT + 2} />
              </g>
            );
          })}
        </svg>
        <div class="ticks" aria-hidden="true">
          {bars.map(({ key, tick }) => (
            <span key={key}>{tick}</span>
          ))}
        </div>
        <figcaption>{words ?? label}</figcaption>
      </figure>
      <details>
        <summary>{label}: as a table</summary>
        <BarTable label={label} columns={columns} bars={bars} />
      </details>
    </div>
  );
}

/** Returns a column's height. Unknown and future values are outlines of full height. */
function heightOf(value: bigint | null, most: bigint, mark: Bar["mark"]): number {
  if (value === null || mark === "ahead") return HEIGHT;
  return value === 0n ? 0 : Math.max(LEAST, share(value, most) * HEIGHT);
}

function BarTable({ label, columns, bars }: Omit<BarsProps, "top">) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${label}, table`}>
      <table class="plain-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ key, name, cells }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => (
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function wordsOf(bar: Bar | undefined): string | undefined {
  return bar === undefined ? undefined : `${bar.name}: ${bar.cells.join(", ")}`;
}
