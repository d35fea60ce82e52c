import { defineConfig } from "vitest/config";

// `npm test` runs "unit"; "servers" starts real servers and a browser (npm run test:servers). Nothing is retried.
const report = process.env.NOONMARK_TEST_REPORT;

/** Against real servers, and the page in a real browser. */
const REAL = ["test/servers/**/*.test.ts", "test/site/browser/**/*.test.ts"];

export default defineConfig({
  test: {
    retry: 0,
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: REAL } },
      {
        extends: true,
        test: { name: "servers", include: REAL, fileParallelism: false, maxConcurrency: 16 },
      },
    ],
  },
});
