import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planHeader, RowRules } from '../../src/domain/import-plan.ts';
import { limits } from '../../src/domain/limits.ts';
import { Refused } from '../../src/domain/refusal.ts';
import { codePoint } from '../support/code-point.ts';

const fields = [
  { key: 'name', label: 'Name' },
  { key: 'serial_no', label: 'Serial number' },
  { key: 'weight', label: 'Gross weight' },
  { key: 'gross', label: 'weight' },
];

function keysOf(cells: readonly string[]): readonly (readonly [string, boolean])[] {
  return planHeader(cells, fields).columns.map(({ key, field }) => [key, field !== null]);
}

function refusalOf(cells: readonly string[]): string {
  try {
    planHeader(cells, fields);
  } catch (error) {
    if (error instanceof Refused) return `${error.refusal.kind}: ${error.refusal.detail}`;
    throw error;
  }
  return 'taken';
}

describe('the header of an import', () => {
  test.each([
    ['its key', 'serial_no', 'serial_no'],
    ['its label in any case', 'SERIAL NUMBER', 'serial_no'],
    ['its key before another one’s label', 'weight', 'weight'],
    ['what its name leads to', 'Serial No.', 'serial_no'],
    ['blanks around it are nothing', '  Name ', 'name'],
  ])('a column is matched to a field by %s', (_, cell, key) => {
    expect(keysOf(['epc', cell])).toEqual([[key, true]]);
  });

  test('a column that matches none is a new field', () => {
    expect(planHeader(['Batch No', 'EPC'], fields)).toEqual({
      epcIndex: 1,
      width: 2,
      columns: [{ index: 0, key: 'batch_no', label: 'Batch No', field: null }],
    });
  });

  test.each(['epc', 'EPC', ' Epc '])('%j is the column of EPCs', (cell) => {
    expect(planHeader(['name', cell], fields).epcIndex).toBe(1);
  });

  test.each([
    [['name'], 'import-unreadable: The file has no column "epc" in its first row.'],
    [['epc', 'name', 'EPC'], 'import-unreadable: Columns 1 and 3 are both called "epc".'],
    [['epc', ''], 'import-unreadable: Column 2 has no name.'],
    [['epc', '!!'], 'import-unreadable: Column 2 needs a name with a letter or a digit, not "!!".'],
    [['epc', 'epc!'], 'import-unreadable: Column 2 is called "epc!", which no field can be.'],
    [['epc', 'a b', 'A-B'], 'import-unreadable: Columns 2 and 3 are both of the field "a_b".'],
    [
      ['epc', 'serial_no', 'Serial number'],
      'import-unreadable: Columns 2 and 3 are both of the field "serial_no".',
    ],
    [['epc', 'x'.repeat(256)], 'import-unreadable: The name of column 2 is longer than 255 characters.'],
  ])('refuses %j', (cells, refusal) => {
    expect(refusalOf(cells)).toBe(refusal);
  });

  test('refuses more columns than a write may have keys, and more fields than there may be', () => {
    const many = (count: number) => ['epc', ...Array.from({ length: count }, (_, i) => `new ${i}`)];
    expect(refusalOf(many(limits.keysPerWrite + 1))).toContain('The file has 502 columns');
    expect(refusalOf(many(limits.fieldsPerOrganisation))).toContain('would make 500 fields; there are 4');
    expect(refusalOf(many(limits.fieldsPerOrganisation - fields.length))).toBe('taken');
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is a name like others', (cell) => {
    const [column] = planHeader(['epc', cell], fields).columns;
    expect(column?.field).toBeNull();
    expect(column?.label).toBe(cell);
  });

  test('of any cells: refused, or one column for each but the EPC’s, no key twice', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: codePoint }), { maxLength: 8 }), (names) => {
        const cells = ['epc', ...names];
        if (refusalOf(cells) !== 'taken') return;
        const { columns } = planHeader(cells, fields);
        expect(columns.map(({ index }) => index)).toEqual(names.map((_, i) => i + 1));
        expect(new Set(columns.map(({ key }) => key)).size).toBe(names.length);
      }),
    );
  });
});

describe('the rows of an import', () => {
  const rules = () => new RowRules(planHeader(['name', 'epc', 'batch'], fields));

  test('a row is known by its EPC, in upper case', () => {
    expect(rules().check(2, ['a', ' 3034abcd ', 'b'])).toBe('3034ABCD');
    expect(rules().check(2, ['a', '3034ABCDE'])).toBe('3034ABCDE');
    expect(rules().check(2, ['a', 'F'.repeat(64), 'b', '', '  '])).toBe('F'.repeat(64));
  });

  test.each([
    [['a', ' '], { line: 7, reason: 'the epc is empty' }],
    [[], { line: 7, reason: 'the epc is empty' }],
    [['', '3034'], { line: 7, epc: '3034', reason: 'the epc is not 8 to 64 hexadecimal digits' }],
    [['', '3034GGGG'], { line: 7, epc: '3034GGGG', reason: 'the epc is not 8 to 64 hexadecimal digits' }],
    [
      ['', '3034ABCD', 'b', '', 'x'],
      { line: 7, epc: '3034ABCD', reason: 'the row has more cells than the header, which has 3' },
    ],
    [
      ['', '3034ABCD', 'x'.repeat(limits.valueMaxLength + 1)],
      { line: 7, epc: '3034ABCD', reason: 'the value of batch is longer than 10000 characters' },
    ],
  ])('%j is skipped', (cells, error) => {
    expect(rules().check(7, cells)).toEqual(error);
  });

  test('an EPC that is no EPC is told cut short', () => {
    const verdict = rules().check(2, ['', 'z'.repeat(1000)]);
    expect(verdict).toMatchObject({ epc: `${'z'.repeat(64)}…` });
  });

  test('a duplicate of an earlier line is skipped, whether that one was or not', () => {
    const own = rules();
    own.check(2, ['', 'AAAAAAAA']);
    own.check(3, ['', 'BBBBBBBB', '', 'surplus']);
    expect(own.check(4, ['', 'aaaaaaaa'])).toMatchObject({ reason: 'the epc is a duplicate of line 2' });
    expect(own.check(5, ['', 'BBBBBBBB'])).toMatchObject({ reason: 'the epc is a duplicate of line 3' });
  });
});
