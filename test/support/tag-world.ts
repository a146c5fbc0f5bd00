import { randomUUID } from 'node:crypto';
import { neverSeen } from '../../src/domain/tag-state.ts';
import type { Value } from '../../src/domain/value.ts';
import { createTagSearch, type TagSearch } from '../../src/features/tags/search-tags.ts';
import { addField, FieldCatalogue, fieldsOf, putField, removeField } from '../../src/store/fields.ts';
import { removeTraces } from '../../src/store/forget-tags.ts';
import type { FieldRecord } from '../../src/store/records.ts';
import { tables } from '../../src/store/tables.ts';
import { changeValues } from '../../src/store/tag-data.ts';
import { TagLedger } from '../../src/store/tag-ledger.ts';
import { registerTag } from '../../src/store/tag-registry.ts';
import { storeFolder } from './store-folder.ts';

/** What a plain scan looks at. */
export interface WorldTag {
  readonly no: number;
  readonly orgNo: number;
  readonly epc: string;
  /** Epoch ms; minus infinity = never. */
  seenAt: number;
  readonly values: Map<number, Value>;
}

export interface Question {
  readonly orgNo: number;
  readonly q?: string | undefined;
  readonly hasData?: boolean | undefined;
  readonly limit?: number;
  readonly after?: { readonly key: number; readonly no: number } | undefined;
}

/** A store of two organisations with tags and data, the search over it, and all of it once more for a plain scan. */
export class TagWorld {
  readonly folder = storeFolder();
  readonly tags = new Map<number, WorldTag>();
  readonly orgs = [randomUUID(), randomUUID()] as const;
  readonly live = new Set<number>();
  ledger = new TagLedger(this.folder.store);
  search: TagSearch = this.#newSearch();
  #epcs = 0;
  #now = 1000;

  #newSearch(): TagSearch {
    const { store } = this.folder;
    const catalogue = new FieldCatalogue(store);
    return createTagSearch({ store, catalogue, states: this.ledger.states });
  }

  async open(): Promise<this> {
    await this.folder.store.write((tx) => {
      for (const [i, id] of this.orgs.entries())
        tx.put(tables.orgs, id, { id, no: i + 1, name: `Org ${i}`, createdAt: 0 });
    });
    return this;
  }

  async restart(): Promise<void> {
    await this.ledger.checkpoint();
    await this.folder.reopen();
    this.ledger = new TagLedger(this.folder.store);
    this.search = this.#newSearch();
  }

  /** Tags of one organisation; `seenAt` minus infinity = never read. */
  async addTags(orgNo: number, seen: readonly number[]): Promise<readonly number[]> {
    const epcs = seen.map(() => (0xabc00000 + this.#epcs++ * 7919).toString(16).toUpperCase());
    const { store } = this.folder;
    const made = await store.write((tx) => {
      const touches = seen.map((at, i) => {
        const epc = epcs[i] ?? '';
        const { touch, tagNo } = registerTag(tx, { orgNo, epc, now: 0, newId: randomUUID });
        if (!touch) throw new Error(`${epc} is there already`);
        const times = at === Number.NEGATIVE_INFINITY ? {} : { firstSeenAt: at, lastSeenAt: at };
        return { ...touch, tagNo, state: { ...neverSeen, ...times } };
      });
      return { touches, entry: this.ledger.append(tx, touches) };
    });
    this.ledger.applied(made.entry);
    for (const [i, { tagNo: no }] of made.touches.entries()) {
      const tag = { no, orgNo, epc: epcs[i] ?? '', seenAt: seen[i] ?? 0, values: new Map() };
      this.tags.set(no, tag);
    }
    return made.touches.map(({ tagNo }) => tagNo);
  }

  async addField(orgNo: number, label: string): Promise<number> {
    const key = `${label}_${this.live.size}_${this.#now++}`;
    const record = await this.folder.store.write((tx) =>
      addField(tx, this.orgId(orgNo), { id: randomUUID(), key, label, dataType: 'text' }),
    );
    this.live.add(record.no);
    return record.no;
  }

  async renameField(orgNo: number, fieldNo: number): Promise<void> {
    const field = this.field(orgNo, fieldNo);
    const key = `renamed_${this.#now++}`;
    await this.folder.store.write((tx) => putField(tx, this.orgId(orgNo), { ...field, key, label: key }));
  }

  async deleteField(orgNo: number, fieldNo: number): Promise<void> {
    const field = this.field(orgNo, fieldNo);
    await this.folder.store.write((tx) => removeField(tx, this.orgId(orgNo), field));
    this.live.delete(fieldNo);
  }

  /** Null clears. */
  async change(tagNo: number, changes: ReadonlyMap<number, Value | null>): Promise<void> {
    await this.folder.store.write((tx) => changeValues(tx, tagNo, { changes, now: this.#now++ }));
    const values = this.tags.get(tagNo)?.values;
    for (const [no, value] of changes) {
      if (value === null) values?.delete(no);
      else values?.set(no, value);
    }
  }

  async deleteTag(tagNo: number): Promise<void> {
    const { orgNo, epc } = this.tag(tagNo);
    const entry = await this.folder.store.write((tx) => {
      tx.remove(tables.tags, tagNo);
      tx.remove(tables.tagByEpc, [orgNo, epc]);
      return this.ledger.forget(tx, [tagNo]);
    });
    this.ledger.applied(entry);
    await removeTraces(this.folder.store, [tagNo]);
    this.tags.delete(tagNo);
  }

  fieldsOf(orgNo: number): readonly FieldRecord[] {
    return fieldsOf(this.folder.store, this.orgId(orgNo));
  }

  /** What the search finds, without another look at the tags: numbers in order. */
  async found(question: Question): Promise<readonly number[]> {
    const { orgNo, q, hasData, limit = 501, after } = question;
    const query = { orgNo, q, hasData, limit, after, take: (tagNo: number) => () => tagNo };
    return (await this.search.find(query)).map(({ item }) => item);
  }

  /** What a plain scan finds: numbers in order. */
  expected(question: Question): readonly number[] {
    const { limit = 501, after } = question;
    const below = (a: WorldTag, key: number, no: number) => a.seenAt < key || (a.seenAt === key && a.no < no);
    return [...this.tags.values()]
      .filter((tag) => this.fits(tag, question) && (!after || below(tag, after.key, after.no)))
      .toSorted((a, b) => (below(a, b.seenAt, b.no) ? 1 : -1))
      .slice(0, limit)
      .map(({ no }) => no);
  }

  fits(tag: WorldTag, { orgNo, q = '', hasData }: Question): boolean {
    const values = [...tag.values].filter(([no]) => this.live.has(no)).map(([, value]) => String(value));
    if (tag.orgNo !== orgNo || (hasData !== undefined && values.length > 0 !== hasData)) return false;
    const needle = q.toLowerCase();
    return [tag.epc, ...values].some((text) => text.toLowerCase().includes(needle));
  }

  tag(tagNo: number): WorldTag {
    const tag = this.tags.get(tagNo);
    if (!tag) throw new Error(`no tag ${tagNo}`);
    return tag;
  }

  field(orgNo: number, fieldNo: number): FieldRecord {
    const field = this.fieldsOf(orgNo).find(({ no }) => no === fieldNo);
    if (!field) throw new Error(`no field ${fieldNo}`);
    return field;
  }

  orgId(orgNo: number): string {
    return this.orgs[orgNo - 1] ?? '';
  }

  async close(): Promise<void> {
    await this.folder.close();
  }
}
