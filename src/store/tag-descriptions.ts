import { textOf, type Value } from '../domain/value.ts';
import type { FieldCatalogue } from './fields.ts';
import type { Store } from './store.ts';
import { tables } from './tables.ts';
import { currentValues } from './tag-data.ts';

/** What live events say of a tag: the name field's value, and the values of fields shown in tables, by key. Absent if none. */
export interface TagDescription {
  readonly label: string | undefined;
  readonly attrs: Readonly<Record<string, Value>> | undefined;
}

const undescribed: TagDescription = { label: undefined, attrs: undefined };

const MAX_TAGS = 50_000;
/** Of all texts held: values may be long. */
const MAX_CHARACTERS = 32_000_000;

export interface TagDescriptionsOptions {
  readonly store: Store;
  readonly catalogue: FieldCatalogue;
  /** How many tags' descriptions are held at most; default 50,000. */
  readonly max?: number;
}

/**
 * What people say of tags, for the live stream, which asks for every event: held in memory for the tags asked for lately.
 * A write of this process shows at once; a field changed by another process, from the next turn of the event loop on.
 * A description is the same object until something changed. Not for use inside a store write.
 */
export class TagDescriptions {
  readonly #store: Store;
  readonly #catalogue: FieldCatalogue;
  readonly #max: number;
  /** Asked for since the last turnover, and before it: what nobody asked for between two of them is let go. */
  #recent = new Map<number, TagDescription>();
  #older = new Map<number, TagDescription>();
  #characters = 0;
  #fieldsVersion = -1;
  #checkedThisTurn = false;

  constructor({ store, catalogue, max = MAX_TAGS }: TagDescriptionsOptions) {
    this.#store = store;
    this.#catalogue = catalogue;
    this.#max = max;
    store.watch(tables.tagData, (tagNos) => {
      for (const tagNo of tagNos) this.#drop(tagNo);
    });
    store.watch(tables.fields, () => this.#clear());
  }

  /** Of a tag of the organisation; one that has no data, or is none, has neither label nor attrs. */
  describe(orgId: string, tagNo: number): TagDescription {
    this.#checkFields();
    const held = this.#recent.get(tagNo);
    if (held) return held;
    const description = this.#older.get(tagNo) ?? this.#read(orgId, tagNo);
    this.#hold(tagNo, description);
    return description;
  }

  #read(orgId: string, tagNo: number): TagDescription {
    const values = currentValues(this.#store, tagNo);
    if (values.size === 0) return undescribed;
    const attrs: [key: string, value: Value][] = [];
    let label: string | undefined;
    for (const { no, key, isLabel, showInTable } of this.#catalogue.of(orgId)) {
      const value = values.get(no)?.value;
      if (value === undefined) continue;
      if (isLabel) label = textOf(value);
      if (showInTable) attrs.push([key, value]);
    }
    if (label === undefined && attrs.length === 0) return undescribed;
    // `fromEntries` makes even `__proto__` a member like any other.
    return { label, attrs: attrs.length > 0 ? Object.fromEntries(attrs) : undefined };
  }

  #hold(tagNo: number, description: TagDescription): void {
    if (this.#recent.size >= this.#max / 2 || this.#characters >= MAX_CHARACTERS / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    this.#recent.set(tagNo, description);
    this.#characters += charactersOf(description);
  }

  #checkFields(): void {
    if (this.#checkedThisTurn) return;
    this.#checkedThisTurn = true;
    setImmediate(() => {
      this.#checkedThisTurn = false;
    });
    const { version } = this.#catalogue;
    if (version === this.#fieldsVersion) return;
    this.#fieldsVersion = version;
    this.#clear();
  }

  #drop(tagNo: number): void {
    this.#recent.delete(tagNo);
    this.#older.delete(tagNo);
  }

  #clear(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#characters = 0;
  }
}

function charactersOf({ label, attrs }: TagDescription): number {
  let characters = label?.length ?? 0;
  for (const value of Object.values(attrs ?? {})) characters += typeof value === 'string' ? value.length : 0;
  return characters;
}
