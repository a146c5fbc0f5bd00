import type { TagData } from '../../contract/tag-data.ts';
import type { Value } from '../../domain/value.ts';
import type { AuditNote } from '../../store/audit.ts';
import { addFields, fieldsOf, learnType } from '../../store/fields.ts';
import { orgNoOf } from '../../store/organisations.ts';
import type { FieldRecord } from '../../store/records.ts';
import type { Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { type CurrentValue, changeValues, currentValues } from '../../store/tag-data.ts';
import type { JournalEntry, TagLedger } from '../../store/tag-ledger.ts';
import { registerTag } from '../../store/tag-registry.ts';
import { attributesOf } from './attributes.ts';
import { type DataPlan, planData } from './plan-data.ts';

/** Characters of a value that the audit log keeps. */
const NOTED_CHARACTERS = 1000;

export interface DataWrite {
  readonly orgId: string;
  readonly epc: string;
  /** Values as sent, by key as sent. */
  readonly sent: ReadonlyMap<string, string>;
  /** Epoch ms. */
  readonly now: number;
  readonly newId: () => string;
  readonly ledger: TagLedger;
  readonly note: (entry: AuditNote) => void;
}

/**
 * PUT of a tag's data, within one transaction: makes the fields and the tag that are new, changes the values, notes it.
 * `entry` is there when the tag is new: give it to `ledger.applied` after the commit.
 */
export function writeData(
  tx: Tx,
  write: DataWrite,
): { readonly data: TagData; readonly entry: JournalEntry | null } {
  const { orgId, epc, sent, now, newId, ledger } = write;
  const before = fieldsOf(tx, orgId);
  const plan = planData(before, sent);
  const added = makeFields(tx, plan, write);
  const fields = [...before, ...added];
  const { tagNo, touch } = registerTag(tx, { orgNo: orgNoOf(tx, orgId), epc, now, newId });
  const held = currentValues(tx, tagNo);
  const firstValues = added.map(({ no }, i): [number, Value | null] => [no, plan.added[i]?.value ?? null]);
  const changed = changeValues(tx, tagNo, { changes: new Map([...plan.known, ...firstValues]), now });
  const holds = currentValues(tx, tagNo);
  for (const field of pick(before, changed)) {
    const first = holds.get(field.no);
    if (first) learnType(tx, orgId, { field, value: first.value });
  }
  noteValues(write, { created: touch !== null, changed: pick(fields, changed), held, holds });
  const tagId = tx.get(tables.tags, tagNo)?.id;
  return {
    data: { epc, tagId, attributes: attributesOf(fields, holds) },
    entry: touch && ledger.append(tx, [touch]),
  };
}

function makeFields(tx: Tx, { added }: DataPlan, { orgId, newId, note }: DataWrite): readonly FieldRecord[] {
  if (added.length === 0) return [];
  const made = addFields(
    tx,
    orgId,
    added.map(({ field }) => ({ ...field, id: newId() })),
  );
  for (const { key, label, dataType } of made)
    note({ action: 'create', resource: `fields/${key}`, after: { key, label, dataType } });
  return made;
}

interface Changed {
  readonly created: boolean;
  /** The fields whose values changed. */
  readonly changed: readonly FieldRecord[];
  readonly held: ReadonlyMap<number, CurrentValue>;
  readonly holds: ReadonlyMap<number, CurrentValue>;
}

function noteValues({ epc, note }: DataWrite, { created, changed, held, holds }: Changed): void {
  const resource = `tags/${epc}`;
  const was = attributesOf(changed, held);
  const after = attributesOf(changed, holds);
  if (created) note({ action: 'create', resource, after: shortened(after) });
  else note({ action: 'update', resource, before: shortened(was), after: shortened(after, was) });
}

type Attributes = ReturnType<typeof attributesOf>;

/** Values as the audit log keeps them: the whole text is in the tag's history. */
function shortened(attributes: Attributes, was: Attributes = {}): Attributes {
  const before = new Map(Object.entries(was));
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, shortValue(value, before.get(key))]),
  );
}

// The log leaves out what is the same before and after, which two texts must not seem that only differ further on.
function shortValue(value: Value, was?: Value): Value {
  const short = cut(value, '');
  return was !== undefined && short === cut(was, '') ? cut(value, ', changed') : short;
}

function cut(value: Value, remark: string): Value {
  if (typeof value !== 'string' || value.length <= NOTED_CHARACTERS) return value;
  // A half of a character is not worth keeping.
  const kept = value.slice(0, NOTED_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… (${(value.length - kept.length).toLocaleString('en-US')} more characters${remark})`;
}

function pick(fields: readonly FieldRecord[], nos: readonly number[]): readonly FieldRecord[] {
  const wanted = new Set(nos);
  return fields.filter(({ no }) => wanted.has(no));
}
