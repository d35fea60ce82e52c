/** The short form of `npm run hostile`: a few thousand requests with a fixed seed, and every response is checked. */
import { expect, test } from "vitest";
import { attack } from "./hostile/attack.ts";
import { startTarget, TARGETS } from "./hostile/targets.ts";

const REQUESTS = 3_000;
const SEED = 20_261_122;

test.each(TARGETS)("%s sends only documented responses, and never hangs", async (name) => {
  const target = await startTarget(name);
  try {
    const { requested, counts, faults } = await attack(target, { requests: REQUESTS, seed: SEED });
    expect(faults).toEqual([]);
    expect(requested).toBeGreaterThanOrEqual(REQUESTS);
    // There must be good responses too: an attack that is only rejected proves little.
    for (const status of ["200", "304", "400", "404", "405", "503"]) expect(counts[status]).toBeGreaterThan(0);
  } finally {
    await target.stop();
  }
});
