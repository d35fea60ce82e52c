import { defineConfig } from "vitest/config";

// `npm test` runs "unit"; "servers" and "alone" start real servers and a browser (npm run test:servers). Nothing is retried.
const report = process.env.NOONMARK_TEST_REPORT;

/** Against real servers, and the page in a real browser. */
const REAL = ["test/servers/**/*.test.ts", "test/site/browser/**/*.test.ts"];
/** On a directory in "unit", on a real S3 server in "servers". */
const SCENES = ["test/regressions/**/*.test.ts"];
/** For what never ends: servers on a busy machine take as long as they need. */
const PATIENCE = { testTimeout: 300_000, hookTimeout: 600_000 };
/** Tests with limits of time: each has the machine for itself. */
const ALONE = [
  "test/servers/real-time.test.ts",
  "test/servers/demo.test.ts",
  "test/servers/hostile.test.ts",
  "test/site/browser/weight.test.ts",
];

export default defineConfig({
  test: {
    retry: 0,
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      // Vitest leaves one processor to itself. On two processors that is half of the time.
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: REAL, maxWorkers: "100%" } },
      {
        extends: true,
        test: {
          name: "servers",
          include: [...REAL, ...SCENES],
          exclude: ALONE,
          env: { NOONMARK_SCENES: "s3" },
          ...PATIENCE,
          // Most of these tests wait for servers and instants, so more of them than processors run at once.
          maxWorkers: 3,
          maxConcurrency: 16,
        },
      },
      { extends: true, test: { name: "alone", include: ALONE, fileParallelism: false, ...PATIENCE } },
    ],
  },
});
