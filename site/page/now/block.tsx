/** Shows the block in progress as a ring and as a table. */
import type { Process } from "../../../src/client/create-client.ts";
import { Unavailable, useStopped } from "../parts/panel.tsx";
import { grouped, plural } from "../words/number.ts";
import { type FillingBlock, fillingBlock, type PartName } from "./block-parts.ts";
import { Ring } from "./ring.tsx";

/** The meaning of each part, now and after the publisher has stopped. */
const PARTS: readonly (readonly [name: PartName, text: string, meaning: string, past: string])[] = [
  ["settled", "Settled", "confirmed on the chain", "confirmed on the chain"],
  ["accepted", "Accepted", "by the Oracle, not yet settled", "by the Oracle, not settled by then"],
  ["closed", "Closed", "round ended, not yet accepted", "round ended, not accepted by then"],
  ["open", "Open", "the current round", "the round at that time"],
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
  const completed = block?.completed ?? 0n;
  const stopped = useStopped();
  return (
    <div class="parts-box">
      <div class="scroll" tabIndex={0} role="region" aria-label="The block in numbers">
        <table class="parts">
          <caption>
            {block === undefined ? (
              "\u00a0"
            ) : (
              <>
                Block {grouped(block.number)}: <span class="projected">~ {grouped(block.filled)}</span> of{" "}
                {plural(block.workPerBlock, "unit")}
              </>
            )}
          </caption>
          <thead>
            <tr>
              <th scope="col">Work</th>
              <th scope="col">in this block</th>
              <th scope="col">in all</th>
            </tr>
          </thead>
          <tbody>
            {PARTS.map(([name, text, meaning, past]) => {
              const part = block?.parts.find((one) => one.name === name);
              return (
                <tr key={name}>
                  <th scope="row">
                    <i class={`swatch ${name}`} />
                    {text} <small>{stopped === undefined ? meaning : past}</small>
                  </th>
                  <td>{part === undefined ? "…" : grouped(part.inBlock)}</td>
                  <td>{part === undefined ? "…" : grouped(part.total)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="note projected">{completed > 0n ? fullBlocks(completed, stopped) : "\u00a0"}</p>
    </div>
  );
}

function fullBlocks(completed: bigint, stopped: string | undefined): string {
  const [is, are] = stopped === undefined ? ["is", "are"] : ["was", "were"];
  const when = stopped === undefined ? "" : ` at ${stopped}`;
  return `~ ${plural(completed, "block")} before it ${completed === 1n ? is : are} full and not settled${when}.`;
}
