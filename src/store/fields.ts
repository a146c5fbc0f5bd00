import { dataTypeOf } from '../domain/field.ts';
import { limits } from '../domain/limits.ts';
import { invalid } from '../domain/refusal.ts';
import type { Value } from '../domain/value.ts';
import { ofOrg } from './of-org.ts';
import { orgNoOf } from './organisations.ts';
import type { FieldRecord } from './records.ts';
import type { Reading, Store, Tx } from './store.ts';
import { tables } from './tables.ts';

/** Bumped with every change of a field, so that caches notice, whoever made it. */
const VERSION = 'fieldsVersion';

/** The fields of an organisation in display order. */
export function fieldsOf(reading: Reading, orgId: string): readonly FieldRecord[] {
  return ofOrg(reading, tables.fields, orgId).toSorted(
    (a, b) => a.displayOrder - b.displayOrder || a.no - b.no,
  );
}

/** Puts a field, new or changed. Within a write that also notes it. */
export function putField(tx: Tx, orgId: string, field: FieldRecord): void {
  tx.put(tables.fields, [orgId, field.id], field);
  tx.next(VERSION);
}

/** Removes a field; its values mean nothing from now on and are taken out of the tags later, in slices. */
export function removeField(tx: Tx, orgId: string, field: FieldRecord): void {
  tx.remove(tables.fields, [orgId, field.id]);
  tx.put(tables.deletedFields, field.no, { orgNo: orgNoOf(tx, orgId), nextTagNo: 1 });
  tx.next(VERSION);
}

/** A field that is to be: what its first value tells, and how people call it. */
export interface NewField {
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly dataType: FieldRecord['dataType'];
  /** False when no value has told the type yet. */
  readonly typeKnown?: boolean;
}

/** What the first value of a field made without one tells of it; true when the field changed. */
export function learnType(tx: Tx, orgId: string, { field, value }: FirstValue): boolean {
  if (field.typeKnown !== false) return false;
  putField(tx, orgId, { ...field, dataType: dataTypeOf(value), typeKnown: true });
  return true;
}

interface FirstValue {
  readonly field: FieldRecord;
  readonly value: Value;
}

/** Adds a field at the end. Its key must be free; throws a 400 when the organisation has as many as it may. */
export function addField(tx: Tx, orgId: string, field: NewField): FieldRecord {
  return addRecord(tx, orgId, { field, others: fieldsOf(tx, orgId) });
}

/** Adds several as `addField` does, in their order, looking at what there is once. */
export function addFields(tx: Tx, orgId: string, fields: readonly NewField[]): readonly FieldRecord[] {
  const others = [...fieldsOf(tx, orgId)];
  const known = others.length;
  for (const field of fields) others.push(addRecord(tx, orgId, { field, others }));
  return others.slice(known);
}

/** `others` are in display order. */
function addRecord(
  tx: Tx,
  orgId: string,
  { field, others }: { readonly field: NewField; readonly others: readonly FieldRecord[] },
): FieldRecord {
  if (others.length >= limits.fieldsPerOrganisation)
    throw invalid(`There can be no more than ${limits.fieldsPerOrganisation} fields.`);
  const displayOrder = (others.at(-1)?.displayOrder ?? -1) + 1;
  const record = { ...field, no: tx.next('lastFieldNo'), displayOrder, showInTable: true, isLabel: false };
  putField(tx, orgId, record);
  return record;
}

/** The fields of every organisation in memory, loaded again when one changed. Not for use inside a store write. */
export class FieldCatalogue {
  readonly #store: Store;
  readonly #byOrg = new Map<string, readonly FieldRecord[]>();
  #version = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Grows whenever any field changed. */
  get version(): number {
    return this.#store.get(tables.meta, VERSION) ?? 0;
  }

  /** In display order. */
  of(orgId: string): readonly FieldRecord[] {
    const { version } = this;
    if (version !== this.#version) this.#byOrg.clear();
    this.#version = version;
    const known = this.#byOrg.get(orgId) ?? fieldsOf(this.#store, orgId);
    this.#byOrg.set(orgId, known);
    return known;
  }
}
