import { defineConfig } from "vitest/config";

// `npm test` runs "unit"; "servers" starts real servers (npm run test:servers). Nothing is retried.
const report = process.env.NOONMARK_TEST_REPORT;

export default defineConfig({
  test: {
    retry: 0,
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/servers/**"] } },
      {
        extends: true,
        test: { name: "servers", include: ["test/servers/**/*.test.ts"], fileParallelism: false, maxConcurrency: 16 },
      },
    ],
  },
});
