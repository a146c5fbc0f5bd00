import { defineConfig } from 'vitest/config';

// CI reads the counts from this file instead of from what the terminal shows.
const report = process.env.VITEST_JSON_REPORT;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: 'test/support/build-once.ts',
    pool: 'forks',
    // Many wait for a timer or another process: three keep two cores busy.
    maxWorkers: 3,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
