/**
 * Shows a table of the work per half hour and noon-to-noon day. Arrow keys move the focus. The exact work of the half
 * hour under focus, pointer or finger is shown below the table.
 */

import { useRef, useState } from "preact/hooks";
import type { StatisticsDay } from "../data/bodies.ts";
import { memo } from "../parts/memo.ts";
import { cellWords, fromNoon, mostWork, slotClock, slotState, slotWords, stepOf } from "../words/half-hour.ts";
import { day as dayWords, noonOf, shortDay } from "../words/time.ts";

const SLOTS = 48;
/** Half hours per column heading. */
const SLOTS_PER_HEADING = 6;
const MOVES: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -SLOTS],
  End: [0, SLOTS],
  PageUp: [-SLOTS, 0],
  PageDown: [SLOTS, 0],
};

export function HeatMap({ days, count }: CellsProps) {
  const [words, setWords] = useState<string>();
  const table = useRef<HTMLTableElement>(null);
  const showWords = ({ target }: Event) => {
    const cell = target instanceof Element ? target.closest("td") : null;
    if (cell !== null) setWords(cell.getAttribute("aria-label") ?? undefined);
  };
  const moveByKey = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moveFocus(event.target, move);
  };
  const touch = ({ clientX, clientY, pointerType }: PointerEvent) => {
    if (pointerType === "mouse") return;
    const cell = document.elementFromPoint(clientX, clientY)?.closest("td");
    if (cell?.closest("table") === table.current) setWords(cell?.getAttribute("aria-label") ?? undefined);
  };
  return (
    <div class="heat-box">
      <table
        class="heat"
        role="grid"
        aria-label="Work of each half hour, days from noon to noon UTC"
        aria-readonly="true"
        ref={table}
        onPointerOver={showWords}
        onPointerMove={touch}
        onFocusIn={showWords}
        onKeyDown={moveByKey}
      >
        <Cells days={days} count={count} />
      </table>
      <p class={words === undefined ? "words hint" : "words"}>
        {words ?? "Point at a half hour, or walk with the arrow keys, for its exact work."}
      </p>
      <Legend />
    </div>
  );
}

interface CellsProps {
  readonly days: readonly StatisticsDay[] | undefined;
  readonly count: number;
}

const Cells = memo(({ days, count }: CellsProps) => {
  const most = mostWork(days ?? []);
  return (
    <>
      <thead>
        <tr>
          <th scope="col">
            <span class="sr">Day</span>
          </th>
          {Array.from({ length: SLOTS / SLOTS_PER_HEADING }, (_, index) => (
            <th key={index} scope="colgroup" colSpan={SLOTS_PER_HEADING}>
              <span>{slotClock((720 + index * SLOTS_PER_HEADING * 30) % 1440).slice(0, 5)}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days === undefined
          ? Array.from({ length: count }, (_, index) => <EmptyRow key={index} />)
          : days.toReversed().map((day, index) => <Row key={day.date} day={day} most={most} first={index === 0} />)}
      </tbody>
    </>
  );
});

function Row({ day, most, first }: { readonly day: StatisticsDay; readonly most: bigint; readonly first: boolean }) {
  const noon = noonOf(day.date);
  return (
    <tr>
      <th scope="row" title={`From noon on ${dayWords(noon)}`}>
        {shortDay(noon)}
      </th>
      {fromNoon(day.buckets).map((bucket, index) => {
        const look = slotState(bucket);
        const step = look === "worked" ? ` step-${stepOf(bucket.workUnits ?? "0", most)}` : "";
        return (
          <td
            key={bucket.startMinuteUtc}
            class={`${look}${step}${bucket.coverage === "partial" ? " partial" : ""}`}
            tabIndex={first && index === 0 ? 0 : -1}
            aria-label={`${slotWords(day.date, bucket)}: ${cellWords(bucket)}`}
          />
        );
      })}
    </tr>
  );
}

function EmptyRow() {
  return (
    <tr>
      <th scope="row">{"\u00a0"}</th>
      <td colSpan={SLOTS} class="asking" />
    </tr>
  );
}

/** Moves the focus. Tab reaches only the cell that last had focus. */
function moveFocus(from: EventTarget | null, [down, right]: readonly [number, number]): void {
  if (!(from instanceof HTMLTableCellElement) || !(from.parentElement instanceof HTMLTableRowElement)) return;
  const rows = [...(from.closest("tbody")?.rows ?? [])];
  const row = rows[clamp(rows.indexOf(from.parentElement) + down, rows.length)];
  const cells = [...(row?.cells ?? [])].filter(({ tagName }) => tagName === "TD");
  const cell = cells[clamp([...from.parentElement.cells].indexOf(from) - 1 + right, cells.length)];
  if (cell === undefined || cell === from) return;
  from.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}

/** The appearances of a half hour, which differ not only by colour. */

const LOOKS = [
  ["worked step-1", "little"],
  ["worked step-2", ""],
  ["worked step-3", ""],
  ["worked step-4", ""],
  ["worked step-5", "most work"],
  ["idle", "idle"],
  ["missing", "missing"],
  ["future", "not yet"],
  ["worked step-3 partial", "partial"],
] as const;

function Legend() {
  return (
    <ul class="legend" aria-label="Looks of a half hour">
      {LOOKS.map(([look, text]) => (
        <li key={look} aria-hidden={text === "" ? "true" : undefined}>
          <i class={`cell ${look}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}
