import { expect, it } from "vitest";
import { fillingBlock } from "../../../site/page/now/block-parts.ts";
import type { Process } from "../../../src/client/create-client.ts";
import { goldenProcess } from "../support/changed-worlds.ts";
import { recorded } from "../support/world.ts";

it("splits the block into settled, accepted, closed and open work, which fill it without a gap", () => {
  const block = fillingBlock(recorded<Process>("process"));
  expect(block).toMatchObject({ number: 486n, workPerBlock: 1000n, filled: 897n, completed: 0n });
  expect(block?.parts.map(({ name, from, inBlock }) => [name, from, inBlock])).toEqual([
    ["settled", 0n, 461n],
    ["accepted", 461n, 356n],
    ["closed", 817n, 0n],
    ["open", 817n, 80n],
  ]);
});

it.each(["ready", "empty", "before-first-settlement", "no-closure", "round-not-accepted", "confirmed"])(
  "fills the block of %s exactly as far as the API projects it",
  (name) => {
    const process = goldenProcess(name);
    const block = fillingBlock(process);
    expect(block?.parts.reduce((sum, { inBlock }) => sum + inBlock, 0n)).toBe(block?.filled);
  },
);

it("counts closed work as not accepted if the queue is unknown, and has no block without a builder", () => {
  const parts = fillingBlock(goldenProcess("round-not-accepted"))?.parts;
  expect(parts?.map(({ name, total }) => [name, total]).slice(1, 3)).toEqual([
    ["accepted", 0n],
    ["closed", 2600n],
  ]);
  expect(fillingBlock(goldenProcess("counter-fault"))).toBeUndefined();
});
