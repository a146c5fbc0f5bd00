import type { Value } from '../../domain/value.ts';
import type { FieldRecord } from '../../store/records.ts';
import type { CurrentValue } from '../../store/tag-data.ts';

/**
 * What a tag holds, by field key, in the order of `fields`; values of fields not among them are left out. A key such as
 * `__proto__` is a member like any other.
 */
export function attributesOf(
  fields: readonly FieldRecord[],
  values: ReadonlyMap<number, CurrentValue>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    fields.flatMap(({ no, key }): [string, Value][] => {
      const held = values.get(no);
      return held ? [[key, held.value]] : [];
    }),
  );
}
