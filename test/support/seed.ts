/**
 * Property tests draw the same cases in every run, so that a green tree stays green until somebody changes it.
 * NOONMARK_SEED=<number> draws others, and replays what it found.
 */
import * as fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.NOONMARK_SEED ?? 20_261_121) });
