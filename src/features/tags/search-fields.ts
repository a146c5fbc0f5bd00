import type { FieldCatalogue } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';

/** Which field numbers mean nothing any more, over all organisations. Asking is quick; `refresh` before it. */
export class GoneFields {
  readonly #store: Store;
  readonly #catalogue: FieldCatalogue;
  #version = -1;
  #live = new Set<number>();
  #lastNo = 0;

  constructor(store: Store, catalogue: FieldCatalogue) {
    this.#store = store;
    this.#catalogue = catalogue;
  }

  /** How many fields were ever deleted. */
  get count(): number {
    return this.#lastNo - this.#live.size;
  }

  /** Whether the number was a field's and is none any more. A number given since the last refresh counts as a field's. */
  has(fieldNo: number): boolean {
    return fieldNo > 0 && fieldNo <= this.#lastNo && !this.#live.has(fieldNo);
  }

  /** Takes over what changed. */
  refresh(): void {
    const { version } = this.#catalogue;
    if (version === this.#version) return;
    // The counter first: a field made in between is then beyond it.
    this.#lastNo = this.#store.get(tables.meta, 'lastFieldNo') ?? 0;
    this.#live = new Set(Array.from(this.#store.range(tables.fields), ({ value }) => value.no));
    this.#version = version;
  }
}
