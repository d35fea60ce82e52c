/** Shows the block in progress as a ring and as figures, and the full blocks that wait before it. */
import type { Process } from "../../../src/client/create-client.ts";
import { Figure } from "../parts/figure.tsx";
import { Unavailable, useStopped } from "../parts/panel.tsx";
import { grouped, plural } from "../words/number.ts";
import { type FillingBlock, fillingBlock, type PartName } from "./block-parts.ts";
import { Ring } from "./ring.tsx";

/** The meaning of each part, now and after the publisher has stopped. */
const PARTS: readonly (readonly [name: PartName, text: string, meaning: string, past: string])[] = [
  ["settled", "Settled", "confirmed on the chain", "confirmed on the chain"],
  ["accepted", "Accepted", "checked, not yet settled", "checked, not settled by then"],
  ["closed", "Closed", "complete, not yet accepted", "complete, not accepted by then"],
  ["open", "Open", "being counted now", "being counted at that time"],
];

export function Block({ process }: { readonly process: Process | undefined }) {
  const block = process === undefined ? undefined : fillingBlock(process);
  return (
    <section class="block" aria-labelledby="block-h">
      <h3 id="block-h" class="sr">
        The block that is being filled
      </h3>
      <Ring block={block} />
      {process?.builder.status === "unavailable" ? (
        <Unavailable what="The block is" reason={process.builder.reason} />
      ) : (
        <Parts block={block} />
      )}
    </section>
  );
}

/** Reserves its space even before the first response. */
function Parts({ block }: { readonly block: FillingBlock | undefined }) {
  const stopped = useStopped();
  return (
    <div class="parts">
      <p>
        {block === undefined ? (
          "\u00a0"
        ) : (
          <>
            A block is {plural(block.workPerBlock, "unit")} of work. Block {grouped(block.number)}{" "}
            {stopped === undefined ? "has" : "had"}{" "}
            <span class="projected">
              ~&nbsp;{grouped(block.filled)} {stopped === undefined ? "so far" : "by then"}
            </span>
            . <span class="projected">{waitingWords(block, stopped)}</span>
          </>
        )}
      </p>
      <dl class="figures">
        {PARTS.map(([name, text, meaning, past]) => {
          const part = block?.parts.find((one) => one.name === name);
          return (
            <Figure
              key={name}
              name={
                <>
                  <i class={`swatch ${name}`} />
                  {text}
                </>
              }
              note={
                <>
                  {stopped === undefined ? meaning : past}; {part === undefined ? "…" : grouped(part.total)} in all
                </>
              }
            >
              {part === undefined ? "…" : grouped(part.inBlock)}
            </Figure>
          );
        })}
      </dl>
    </div>
  );
}

/** "~ Block 475 is full and waits for settlement." The full blocks are the last ones before the block in progress. */
function waitingWords({ number, completed }: FillingBlock, stopped: string | undefined): string {
  if (completed === 0n) return "";
  const last = number - 1n;
  const first = number - completed;
  const when = stopped === undefined ? "" : ` at ${stopped}`;
  if (first === last) {
    return `~\u00a0Block ${grouped(last)} ${stopped === undefined ? "is full and waits" : "was full and waited"} for settlement${when}.`;
  }
  return `~\u00a0Blocks ${grouped(first)} to ${grouped(last)} ${stopped === undefined ? "are full and wait" : "were full and waited"} for settlement${when}.`;
}
