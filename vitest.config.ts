import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// CI reads the counts from this file instead of from what the terminal shows.
const report = process.env.VITEST_JSON_REPORT;

// These take minutes: begun last, they would end alone.
const long = [
  'e2e/mutations',
  'e2e/command-interleavings',
  'e2e/certificate-lifecycle',
  'contract/contract-live',
];

const isLong = ({ moduleId }: TestSpecification): boolean =>
  long.some((name) => moduleId.includes(`/${name}.`));

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: 'test/support/build-once.ts',
    pool: 'forks',
    // Many wait for a timer or another process: three keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongOnesFirst },
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
