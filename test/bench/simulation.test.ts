import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expected, type Scene, simulate } from "./scale/simulation.ts";

const url = { share: 1, edgeSeconds: 5, isPast: false };
const scene = (changes: Partial<Scene>): Scene => ({
  dataCentres: 1,
  requestsPerSecond: 1_000_000,
  urls: [url],
  seconds: 100,
  fetchSeconds: 0,
  seed: 1,
  ...changes,
});

test("a frequently requested URL costs one fetch per edge seconds in each data centre", () => {
  expect(simulate(scene({}))).toEqual({ bucket: 20, shim: 0 });
  expect(simulate(scene({ dataCentres: 300, requestsPerSecond: 1e8 }))).toEqual({ bucket: 6_000, shim: 0 });
});

test("ten or ten million times as many readers do not increase the origin load", () => {
  const few = simulate(scene({ requestsPerSecond: 10_000 }));
  expect(simulate(scene({ requestsPerSecond: 1e11 }))).toEqual(few);
});

test("a rarely requested URL costs at most one fetch per request", () => {
  const { bucket } = simulate(scene({ requestsPerSecond: 0.01, seconds: 100_000 }));
  expect(bucket).toBeGreaterThan(850);
  expect(bucket).toBeLessThan(1_100);
});

test("after valid-until every fetch goes to the bucket and then to a shim", () => {
  const urls = [url, { ...url, isPast: true }].map((one) => ({ ...one, share: 0.5 }));
  expect(simulate(scene({ urls }))).toEqual({ bucket: 40, shim: 20 });
});

test("the fetch time adds to the time for which a response is cached", () => {
  expect(simulate(scene({ fetchSeconds: 5 })).bucket).toBe(10);
  expect(simulate(scene({ fetchSeconds: 2.5, urls: [{ ...url, isPast: true }] })).bucket).toBe(10);
});

test("the simulated number of fetches matches the closed formula", () => {
  const urls = fc.array(
    fc.record({
      share: fc.constantFrom(0.1, 0.4, 1),
      edgeSeconds: fc.constantFrom(1, 5, 60),
      isPast: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(
      urls,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(0.5, 5, 1_000),
      fc.integer(),
      (drawn, dataCentres, rate, seed) => {
        const one: Scene = {
          urls: drawn,
          dataCentres,
          requestsPerSecond: rate,
          seconds: 20_000,
          fetchSeconds: 0.05,
          seed,
        };
        const [found, wanted] = [simulate(one), expected(one)];
        for (const origin of ["bucket", "shim"] as const) {
          const fetches = wanted[origin] * one.seconds;
          expect(Math.abs(found[origin] - fetches)).toBeLessThanOrEqual(
            6 * Math.sqrt(fetches) + drawn.length * dataCentres,
          );
        }
      },
    ),
    { numRuns: 50 },
  );
});
