/** The next settlement by the queue: drawn dashed, and marked as neither settled nor minted. */
import type { Settlements } from "../../../src/client/create-client.ts";
import type { Available } from "../data/bodies.ts";
import { plural } from "../words/number.ts";
import { Mint } from "./mint.tsx";

export interface ProjectionProps {
  readonly projection: NonNullable<Available<Settlements>["queueProjection"]>;
  readonly economy: Available<Settlements>["economy"];
}

export function Projection({ projection, economy }: ProjectionProps) {
  const { settledThroughRound, activeRoundCount, completedBlockCount, amountBaseUnits } = projection;
  return (
    <div class="projection">
      <h3>If the queue were settled</h3>
      <p class="projected">
        ~ through round {settledThroughRound}, {plural(activeRoundCount, "round")} with work,{" "}
        {plural(completedBlockCount, "block")} completed
      </p>
      <p>
        <Mint mint={{ state: "pending", amountBaseUnits }} economy={economy} />
      </p>
      <p class="note">A projection: neither settled work nor confirmed minting.</p>
    </div>
  );
}
