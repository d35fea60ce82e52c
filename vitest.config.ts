import { existsSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// `npm test` runs "unit". `npm run test:servers` runs "servers" and "alone", which start real servers and a browser,
// and "copy", which needs none. Nothing is retried.
const report = process.env.NOONTEST_TEST_REPORT;

/** Tests with real servers, and tests of the page in a real browser. */
const REAL = ["test/servers/**/*.test.ts", "test/site/browser/**/*.test.ts"];
/** Long timeouts that only stop hung tests, because servers are slow on a busy machine. */
const LONG_TIMEOUTS = { testTimeout: 300_000, hookTimeout: 600_000 };
/** Runs `npm test` in a copy with another route. */
const COPY = "test/servers/new-route/new-route.test.ts";
/** Tests with time limits. They run one file at a time. */
const ALONE = ["test/servers/real-time.test.ts", "test/site/browser/weight.test.ts"];

/** Temporary files are in memory if enough is free. On a disk the tests take a fifth longer. */
const MEMORY = "/dev/shm";
const LEAST_BYTES = 8 * 2 ** 30;
const folder = process.env.TMPDIR ?? (isFreeInMemory() ? MEMORY : tmpdir());

function isFreeInMemory(): boolean {
  // Some tests run programs from a temporary folder.
  if (!existsSync(MEMORY) || /^\S+ \/dev\/shm \S+ \S*noexec/m.test(readFileSync("/proc/mounts", "utf8"))) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= LEAST_BYTES;
}

export default defineConfig({
  test: {
    retry: 0,
    // The tests start the program some thousand times. Node then need not compile it again.
    env: { TMPDIR: folder, NODE_COMPILE_CACHE: join(folder, "noonmark-compile-cache") },
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: REAL,
          // One more than processors, because a fourth of the time is waiting for other processes. With two more, a
          // busy machine reached time limits of the program.
          maxWorkers: availableParallelism() + 1,
          // A process for each of 270 files would cost a seventh of the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "servers",
          include: REAL,
          exclude: [COPY, ...ALONE],
          ...LONG_TIMEOUTS,
          // Most of these tests wait for servers and instants, so more of them than processors run at once.
          maxWorkers: 5,
          maxConcurrency: 16,
        },
      },
      { extends: true, test: { name: "copy", include: [COPY], ...LONG_TIMEOUTS } },
      { extends: true, test: { name: "alone", include: ALONE, fileParallelism: false, ...LONG_TIMEOUTS } },
    ],
  },
});
