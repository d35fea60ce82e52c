/** Shows the block in progress as a dial: one turn is one block, and the hand shows its work. */
import { grouped, share } from "../words/number.ts";
import type { BlockPart, FillingBlock } from "./block-parts.ts";

const R = 84;
const CENTRE = 110;
/** Positions of the dial's marks, as shares of a turn. */
const TICKS = Array.from({ length: 20 }, (_, index) => index / 20);

export function Ring({ block }: { readonly block: FillingBlock | undefined }) {
  return (
    <svg class="ring" viewBox="0 0 220 220" aria-hidden="true" focusable="false">
      <defs>
        <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch-ground" width="5" height="5" />
          <rect class="hatch-line" width="2" height="5" />
        </pattern>
      </defs>
      {TICKS.map((turn) => (
        <line
          key={turn}
          class="tick"
          x1={CENTRE}
          x2={CENTRE}
          y1={turn % 0.25 === 0 ? 3 : 7}
          y2="11"
          {...turned(turn)}
        />
      ))}
      <circle class="track" cx={CENTRE} cy={CENTRE} r={R} />
      {block?.parts.map((part) => (
        <Arc key={part.name} part={part} block={block} />
      ))}
      {block === undefined ? (
        <text class="ring-small" x={CENTRE} y={CENTRE + 5}>
          not known
        </text>
      ) : (
        <>
          <path class="hand" d="M110 46 V10 l5 -7 h-10 l5 7" {...turned(share(block.filled, block.workPerBlock))} />
          <text class="ring-small" x={CENTRE} y="88">
            block
          </text>
          <text class="ring-large" x={CENTRE} y="117">
            {ringNumber(block.number)}
          </text>
          <text class="ring-small projected" x={CENTRE} y="137">
            ~ {Math.floor(share(block.filled, block.workPerBlock) * 100)} % full
          </text>
          {block.completed > 0n && (
            <text class="ring-small projected" x={CENTRE} y="156">
              {block.completed === 1n
                ? `${ringNumber(block.number - 1n)} is full`
                : `+ ${ringNumber(block.completed)} full`}
            </text>
          )}
        </>
      )}
    </svg>
  );
}

/** The maximum number of characters in the ring. The table next to it has every digit. */
const RING_CHARACTERS = 9;

function ringNumber(number: bigint): string {
  const text = grouped(number);
  return text.length <= RING_CHARACTERS ? text : `…${text.slice(2 - RING_CHARACTERS)}`;
}

function Arc({ part, block }: { readonly part: BlockPart; readonly block: FillingBlock }) {
  const length = share(part.inBlock, block.workPerBlock);
  if (length === 0) return null;
  return (
    <circle
      class={`arc ${part.name}`}
      cx={CENTRE}
      cy={CENTRE}
      r={R}
      pathLength={1}
      stroke-dasharray={`${length} ${1 - length}`}
      {...turned(share(part.from, block.workPerBlock) - 0.25)}
    />
  );
}

/** Rotates around the centre by a share of a whole turn. */
function turned(turn: number) {
  return { transform: `rotate(${(turn * 360).toFixed(2)} ${CENTRE} ${CENTRE})` };
}
