import type { Field } from '../../../contract/field.ts';
import type { Tag } from '../../../contract/tag.ts';
import type { TagData } from '../../../contract/tag-data.ts';

/** A value written into a cell, and what stood there. */
export interface Written {
  readonly epc: string;
  readonly field: Field;
  readonly before: string;
  readonly text: string;
}

/** A value as it is kept, which may be other than as it was typed; empty when there is none. */
export const valueIn = (data: TagData, field: Field): string => String(data.attributes[field.key] ?? '');

/** Writes what stood there before, over nothing but what was written then. */
export const takenBack = (written: Written): Written => ({
  ...written,
  before: written.text,
  text: written.before,
});

/** The new value in the row; the name in the label too. */
export function applied(data: TagData, field: Field): (tag: Tag) => Tag {
  return (tag) => {
    if (tag.epc !== data.epc) return tag;
    const attributes = Object.fromEntries(Object.entries(data.attributes).map(([k, v]) => [k, String(v)]));
    const label = field.isLabel ? (attributes[field.key] ?? null) : tag.label;
    return { ...tag, attributes, label };
  };
}
