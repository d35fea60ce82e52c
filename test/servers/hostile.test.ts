/** The short form of `npm run hostile`: some thousands of requests of a fixed seed, every response checked. */
import { expect, test } from "vitest";
import { attack } from "./hostile/attack.ts";
import { startTarget, TARGETS } from "./hostile/targets.ts";

const REQUESTS = 3_000;
const SEED = 20_261_122;

test.each(TARGETS)("%s sends only responses that the API names, and never hangs", async (name) => {
  const target = await startTarget(name);
  try {
    const { asked, counts, faults } = await attack(target, { requests: REQUESTS, seed: SEED });
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThanOrEqual(REQUESTS);
    // Good responses too: an attack that only meets refusals shows little.
    for (const status of ["200", "304", "400", "404", "405", "503"]) expect(counts[status]).toBeGreaterThan(0);
  } finally {
    await target.stop();
  }
});
