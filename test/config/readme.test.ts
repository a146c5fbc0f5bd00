import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configTable } from '../../src/config/table.ts';

test("the README's configuration table is the one the code prints", () => {
  expect(readFileSync('README.md', 'utf8')).toContain(configTable().trim());
});
