import type { Field } from '../../contract/field.ts';
import type { FieldRecord } from '../../store/records.ts';

/** A field as the interface shows it. `options` has no use yet: always null. */
export function fieldOf(record: FieldRecord): Field {
  const { id, key, label, dataType, displayOrder, showInTable, isLabel } = record;
  return { id, key, label, dataType, options: null, displayOrder, showInTable, isLabel };
}
