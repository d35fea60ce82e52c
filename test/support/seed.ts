/**
 * Gives property tests a fixed seed, so that every run tests the same cases. NOONTEST_SEED=NUMBER selects another seed,
 * or replays a failure.
 */
import * as fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.NOONTEST_SEED ?? 20_261_121) });
