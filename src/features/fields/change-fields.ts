import type { FieldChange } from '../../contract/field.ts';
import { fieldKeyOf } from '../../domain/field.ts';
import { refuse } from '../../domain/refusal.ts';
import type { FieldRecord } from '../../store/records.ts';

/** The field with a key; throws a 404 when there is none. */
export function findField(fields: readonly FieldRecord[], key: string): FieldRecord {
  const field = fields.find((one) => one.key === key);
  if (!field) throw refuse('not-found', 'There is no field with this key.');
  return field;
}

/** The key of a label; throws a 400 when it makes none, a 409 when a field other than `self` has it. */
export function freeKey(fields: readonly FieldRecord[], label: string, self?: FieldRecord): string {
  const key = fieldKeyOf(label, 'label');
  const holder = fields.find((one) => one.key === key);
  if (holder && holder.no !== self?.no)
    throw refuse('field-exists', `There is a field with the key "${key}" already.`);
  return key;
}

/**
 * All fields as they are after a change of one of them, in display order; those that stay as they were are the same
 * objects. A change of place closes the gap and numbers all from 0; `isLabel: true` takes it from the others.
 */
export function changeFields(
  fields: readonly FieldRecord[],
  field: FieldRecord,
  { displayOrder, label = field.label, ...change }: FieldChange,
): readonly FieldRecord[] {
  const key = label === field.label ? field.key : freeKey(fields, label, field);
  const after: FieldRecord = { ...field, ...given(change), key, label };
  const all = fields.map((one) => {
    if (one.no === field.no) return after;
    return change.isLabel && one.isLabel ? { ...one, isLabel: false } : one;
  });
  return displayOrder === undefined ? all : numbered(moved(all, after, displayOrder));
}

/** Display orders from 0 without gaps, in the order of the list. */
export function numbered(fields: readonly FieldRecord[]): readonly FieldRecord[] {
  return fields.map((one, displayOrder) =>
    one.displayOrder === displayOrder ? one : { ...one, displayOrder },
  );
}

function moved(fields: readonly FieldRecord[], field: FieldRecord, place: number): readonly FieldRecord[] {
  return fields.filter((one) => one !== field).toSpliced(place, 0, field);
}

/** Members that are there but undefined say nothing. */
function given({ isLabel, showInTable }: FieldChange): Partial<FieldRecord> {
  return { ...(isLabel !== undefined && { isLabel }), ...(showInTable !== undefined && { showInTable }) };
}
