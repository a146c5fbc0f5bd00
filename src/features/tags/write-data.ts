import type { TagData } from '../../contract/tag-data.ts';
import type { Value } from '../../domain/value.ts';
import type { AuditNote } from '../../store/audit.ts';
import { addFields, fieldsOf } from '../../store/fields.ts';
import type { FieldRecord } from '../../store/records.ts';
import type { Tx } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import { type CurrentValue, changeValues, currentValues } from '../../store/tag-data.ts';
import type { JournalEntry, TagLedger } from '../../store/tag-ledger.ts';
import { registerTag } from '../../store/tag-registry.ts';
import { attributesOf } from './attributes.ts';
import { orgNoOf } from './find-tag.ts';
import { type DataPlan, planData } from './plan-data.ts';

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
  const after = attributesOf(changed, holds);
  if (created) note({ action: 'create', resource, after });
  else note({ action: 'update', resource, before: attributesOf(changed, held), after });
}

function pick(fields: readonly FieldRecord[], nos: readonly number[]): readonly FieldRecord[] {
  const wanted = new Set(nos);
  return fields.filter(({ no }) => wanted.has(no));
}
