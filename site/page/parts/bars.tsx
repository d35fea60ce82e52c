/** A column chart, and a table with the same values. An unknown value is an outline without a height. */
import { useState } from "preact/hooks";
import { axisOf, share } from "../words/number.ts";
import { Facts } from "./facts.tsx";
import { Fold } from "./panel.tsx";

export interface Bar {
  readonly key: string;
  /** The table's row heading. */
  readonly name: string;
  /** `null` if it is unknown. */
  readonly value: bigint | null;
  /** The table's cells, also shown on pointer and touch. */
  readonly cells: readonly string[];
  readonly mark?: "partial" | "ahead" | "peak" | undefined;
  /** Shown below the column if it is one of those at `every`. */
  readonly tick?: string;
}

export interface BarsProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly bars: readonly Bar[];
  /** Formats a value of the axis. */
  readonly format: (value: bigint) => string;
  /** The first of this many columns has a tick. The number of columns is a multiple of it. */
  readonly every: number;
}

const HEIGHT = 96;
const WIDTH = 12;
const GAP = 2;
const LEAST = 1.5;

export function Bars({ label, columns, bars, format, every }: BarsProps) {
  const [words, setWords] = useState<string>();
  const showWords = ({ target }: Event) => {
    const index = target instanceof Element ? target.getAttribute("data-i") : null;
    if (index !== null) setWords(wordsOf(bars[Number(index)]));
  };
  const most = bars.reduce((top, { value }) => (value !== null && value > top ? value : top), 0n);
  const width = Math.max(bars.length, 1) * WIDTH;
  const axis = axisOf(most);
  const top = axis.at(-1) ?? 0n;
  return (
    <div class="bars-box">
      <figure class="bars">
        <div class="axis" aria-hidden="true">
          {axis.map((value) => (
            <span key={value}>{format(value)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 -1 ${width} ${HEIGHT + 2}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerOver={showWords}
        >
          {axis.map((value) => (
            <line
              key={value}
              class={value === 0n ? "base" : "rule"}
              x2={width}
              y1={HEIGHT - share(value, top) * HEIGHT}
              y2={HEIGHT - share(value, top) * HEIGHT}
            />
          ))}
          {bars.map(({ key, value, mark }, index) => {
            const height = heightOf(value, top, mark);
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
                <rect class="reach" data-i={index} x={index * WIDTH} y="0" width={WIDTH} height={HEIGHT} />
              </g>
            );
          })}
        </svg>
        <div class="ticks" aria-hidden="true">
          {bars.flatMap(({ key, tick }, index) => (index % every === 0 ? [<span key={key}>{tick}</span>] : []))}
        </div>
        <figcaption>{words ?? label}</figcaption>
      </figure>
      <Fold
        heading={
          <>
            As a table<span class="sr">: {label}</span>
          </>
        }
      >
        {() => (
          <Facts
            caption={label}
            columns={columns}
            rows={bars.map(({ key, name, cells }) => ({ key, cells: [name, ...cells] }))}
          />
        )}
      </Fold>
    </div>
  );
}

/** Returns a column's height. Unknown and future values are outlines of full height. */
function heightOf(value: bigint | null, top: bigint, mark: Bar["mark"]): number {
  if (value === null || mark === "ahead") return HEIGHT;
  return value === 0n ? 0 : Math.max(LEAST, share(value, top) * HEIGHT);
}

function wordsOf(bar: Bar | undefined): string | undefined {
  return bar === undefined ? undefined : `${bar.name}: ${bar.cells.join(", ")}`;
}
