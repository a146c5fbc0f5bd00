import type { Field } from '../../../contract/field.ts';

/** A column of the table. `key` is unique: a field's begins with `field:`. */
export interface Column {
  readonly key: string;
  readonly kind: 'select' | 'epc' | 'zone' | 'seen' | 'field';
  readonly width: number;
  /** Only of kind `field`. */
  readonly field: Field | null;
}

/** Pixels. The first two stay where they are while the others are scrolled. */
const widths = { select: 44, epc: 240, zone: 150, seen: 150, label: 200 } as const;
const fieldWidths: Readonly<Record<Field['dataType'], number>> = {
  text: 180,
  number: 120,
  boolean: 120,
  url: 220,
};

export const STICKY = 2;

const plain = (kind: 'select' | 'epc' | 'zone' | 'seen'): Column => ({
  key: kind,
  kind,
  width: widths[kind],
  field: null,
});

const ofField = (field: Field): Column => ({
  key: `field:${field.id}`,
  kind: 'field',
  width: field.isLabel ? widths.label : fieldWidths[field.dataType],
  field,
});

/** The columns to show: the name field stands beside the EPC, the others in their order; `hidden` are ids of fields. */
export function columnsOf(fields: readonly Field[], hidden: ReadonlySet<string>): readonly Column[] {
  const shown = fields
    .filter(({ id }) => !hidden.has(id))
    .toSorted((a, b) => a.displayOrder - b.displayOrder);
  const name = shown.filter(({ isLabel }) => isLabel).map(ofField);
  const others = shown.filter(({ isLabel }) => !isLabel).map(ofField);
  return [plain('select'), plain('epc'), ...name, plain('zone'), plain('seen'), ...others];
}

/** The left edge of every column in pixels, and at the end the width of all. */
export function leftsOf(columns: readonly Column[]): readonly number[] {
  const lefts = [0];
  for (const { width } of columns) lefts.push((lefts.at(-1) ?? 0) + width);
  return lefts;
}
