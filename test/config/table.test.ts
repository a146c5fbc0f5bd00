import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { flag } from '../../src/config/kinds.ts';
import { declared } from '../../src/config/options.ts';
import { configTable } from '../../src/config/table.ts';

describe('the table of options', () => {
  it('has one row of four cells per option, in the order of declaration', () => {
    const rows = configTable().trimEnd().split('\n').slice(2);
    expect(rows.map((row) => row.split('`')[1])).toEqual(declared.map((d) => d.key));
    for (const row of rows) expect(row.split(/(?<!\\)\|/)).toHaveLength(6);
  });

  it('is what scripts/config-table.mjs prints', () => {
    expect(execFileSync(process.execPath, ['scripts/config-table.mjs'], { encoding: 'utf8' })).toBe(
      configTable(),
    );
  });
});

describe('a yes-or-no option', () => {
  it('takes true and false, from a variable only these two words', () => {
    const option = flag(false, 'An example');
    expect(['true', 'false', '1', 'yes', 'TRUE'].map((text) => option.read(option.fromText(text)))).toEqual([
      true,
      false,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
