import { textOf } from '../../domain/value.ts';
import type { FieldCatalogue } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { currentValues } from '../../store/tag-data.ts';
import { attributesOf } from './attributes.ts';

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
      const values = currentValues(store, tagNo);
      if (values.size === 0) return { label: null, attributes: {} };
      const fields = fieldsFor(tagNo, orgNo);
      const label = values.get(fields.find(({ isLabel }) => isLabel)?.no ?? 0)?.value;
      const attributes = Object.entries(attributesOf(fields, values)).map(([key, value]) => [
        key,
        textOf(value),
      ]);
      return {
        label: label === undefined ? null : textOf(label),
        attributes: Object.fromEntries(attributes),
      };
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
