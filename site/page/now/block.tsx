/** The ring with the table that says the same in numbers. */
import type { Process } from "../../../src/client/create-client.ts";
import { Unavailable } from "../parts/panel.tsx";
import { grouped, plural } from "../words/number.ts";
import { type FillingBlock, fillingBlock, type PartName } from "./block-parts.ts";
import { Ring } from "./ring.tsx";

const NAMES: Readonly<Record<PartName, readonly [name: string, meaning: string]>> = {
  settled: ["Settled", "confirmed on the chain"],
  accepted: ["Accepted", "by the Oracle, waits to be settled"],
  closed: ["Closed", "round ended, not yet accepted"],
  open: ["Open", "the round that runs"],
};

export function Block({ process }: { readonly process: Process | undefined }) {
  const block = process === undefined ? undefined : fillingBlock(process);
  return (
    <section class="block" aria-labelledby="block-h">
      <h3 id="block-h" class="sr">
        The block that is being filled
      </h3>
      <Ring block={block} />
      {block !== undefined && <Parts block={block} />}
      {process?.builder.status === "unavailable" && <Unavailable what="The block is" reason={process.builder.reason} />}
    </section>
  );
}

function Parts({ block }: { readonly block: FillingBlock }) {
  return (
    <div>
      <table class="parts">
        <caption>
          Block {grouped(block.number)}: <span class="projected">~ {grouped(block.filled)}</span> of{" "}
          {plural(block.workPerBlock, "unit")}
        </caption>
        <thead>
          <tr>
            <th scope="col">Work</th>
            <th scope="col">in this block</th>
            <th scope="col">in all</th>
          </tr>
        </thead>
        <tbody>
          {block.parts.map(({ name, inBlock, total }) => (
            <tr key={name}>
              <th scope="row">
                <i class={`swatch ${name}`} />
                {NAMES[name][0]} <small>{NAMES[name][1]}</small>
              </th>
              <td>{grouped(inBlock)}</td>
              <td>{grouped(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {block.completed > 0n && (
        <p class="note projected">
          ~ {plural(block.completed, "block")} before it {block.completed === 1n ? "is" : "are"} full and not settled.
        </p>
      )}
    </div>
  );
}
