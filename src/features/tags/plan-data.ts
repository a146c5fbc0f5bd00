import { dataTypeOf, fieldKeyOf } from '../../domain/field.ts';
import { limits } from '../../domain/limits.ts';
import { invalid } from '../../domain/refusal.ts';
import { typeValue, type Value } from '../../domain/value.ts';
import type { NewField } from '../../store/fields.ts';
import type { FieldRecord } from '../../store/records.ts';

/** What a body of PUT /tags/{epc}/data asks for. */
export interface DataPlan {
  /** New values of fields there are, by field number; null clears. */
  readonly known: ReadonlyMap<number, Value | null>;
  /** Fields to make, each with its first value. */
  readonly added: readonly { readonly field: Omit<NewField, 'id'>; readonly value: Value }[];
}

/**
 * Finds the field of every key sent: the one with that key, else the one with the key derived from it as from a label,
 * else a new one with the sent text as label. A blank value clears; for a key without a field there is nothing to clear and
 * no field is made. Throws a 400 naming the keys when one makes no field key, or two end at the same field.
 */
export function planData(fields: readonly FieldRecord[], sent: ReadonlyMap<string, string>): DataPlan {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const senders = new Map<string, string>();
  const known = new Map<number, Value | null>();
  const added: DataPlan['added'][number][] = [];
  for (const [name, text] of sent) {
    const key = byKey.has(name) ? name : fieldKeyOf(name, shown(name));
    const earlier = senders.get(key);
    if (earlier !== undefined) throw sameField(earlier, name);
    senders.set(key, name);
    const value = typeValue(text);
    const field = byKey.get(key);
    if (field) known.set(field.no, value);
    else if (value !== null) added.push({ field: { key, label: name, dataType: dataTypeOf(value) }, value });
  }
  return { known, added };
}

function sameField(earlier: string, name: string): Error {
  const detail = `${JSON.stringify(shown(earlier))} and ${JSON.stringify(shown(name))} are the same field.`;
  return invalid(detail, [
    { path: shown(name), message: `is the same field as ${JSON.stringify(shown(earlier))}` },
  ]);
}

/** A sent key may be as long as a body; an error need not. */
function shown(name: string): string {
  return name.length > limits.nameMaxLength ? `${name.slice(0, limits.nameMaxLength)}…` : name;
}
