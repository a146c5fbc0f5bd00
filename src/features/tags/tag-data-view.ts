import { textOf } from '../../domain/value.ts';
import type { FieldCatalogue } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { heldValue } from '../../store/tag-data.ts';

/** What people say of tags, by tag number, as tag lists show it. Not for use inside a store write. */
export interface TagDataView {
  /** The value of the name field, or null, and all values as text by field key, in display order. */
  describe(
    tagNo: number,
    /** The number of its organisation, for whoever has it at hand: looked up otherwise. */
    orgNo?: number,
  ): {
    readonly label: string | null;
    readonly attributes: Readonly<Record<string, string>>;
  };
}

export interface TagDataViewOptions {
  readonly store: Store;
  readonly catalogue: FieldCatalogue;
}

/** Reads values from the store at every question: what it answers is never old. */
export function createTagDataView({ store, catalogue }: TagDataViewOptions): TagDataView {
  const orgIdOf = orgIds(store);
  const fieldsFor = (tagNo: number, orgNo = store.get(tables.tags, tagNo)?.orgNo ?? 0) => {
    const orgId = orgIdOf(orgNo);
    return orgId === undefined ? [] : catalogue.of(orgId);
  };
  return {
    describe: (tagNo, orgNo) => {
      const record = store.get(tables.tagData, tagNo);
      const attributes: [key: string, text: string][] = [];
      let label: string | null = null;
      // Five hundred of them make a page: nothing is made in between.
      for (const { no, key, isLabel } of record ? fieldsFor(tagNo, orgNo) : []) {
        const value = heldValue(record?.values[no]);
        if (value === undefined) continue;
        const text = textOf(value);
        if (isLabel) label = text;
        attributes.push([key, text]);
      }
      // A key such as `__proto__` is a member like any other.
      return { label, attributes: Object.fromEntries(attributes) };
    },
  };
}

/** Ids of organisations by number: neither ever changes, so only a number not yet known needs the table. */
function orgIds(store: Store): (orgNo: number) => string | undefined {
  const known = new Map<number, string>();
  return (orgNo) => {
    if (!known.has(orgNo) && orgNo > 0)
      for (const { key, value } of store.range(tables.orgs)) known.set(value.no, key);
    return known.get(orgNo);
  };
}
