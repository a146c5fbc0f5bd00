import { z } from 'zod';
import {
  changedFieldSchema,
  type FieldChange,
  fieldChangeSchema,
  fieldExample,
  fieldKeyParam,
  fieldSchema,
  newFieldSchema,
} from '../../contract/field.ts';
import { type Route, route } from '../../http/route.ts';
import { type AuditNote, auditedWrite } from '../../store/audit.ts';
import { addField, fieldsOf, putField, removeField } from '../../store/fields.ts';
import type { FieldRecord } from '../../store/records.ts';
import type { Store, Tx } from '../../store/store.ts';
import { changeFields, findField, freeKey, numbered } from './change-fields.ts';
import { fieldOf } from './field-view.ts';

export interface FieldRoutesOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

const tag = 'Fields';
const params = z.object({ key: fieldKeyParam });

/** GET, POST, PATCH and DELETE of fields. */
export function fieldRoutes(options: FieldRoutesOptions): readonly Route[] {
  return [listRoute(options), createRoute(options), changeRoute(options), removeRoute(options)];
}

function listRoute({ store }: FieldRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/fields',
    operationId: 'listFields',
    summary: 'All fields in display order',
    tag,
    access: 'caller',
    responses: { 200: { description: 'Fields', schema: z.array(fieldSchema), example: [fieldExample] } },
    handle: ({ caller }) => ({ status: 200, body: fieldsOf(store, caller.orgId).map(fieldOf) }),
  });
}

function createRoute({ store, now, newId }: FieldRoutesOptions): Route {
  return route({
    method: 'POST',
    path: '/fields',
    operationId: 'createField',
    summary: 'Make a field',
    description:
      'The key is derived from the label: lower case, anything but letters and digits becomes `_`. The data type is `text`.',
    tag,
    access: 'caller',
    body: newFieldSchema,
    bodyExample: { label: 'Best before' },
    responses: { 201: { description: 'The field', schema: fieldSchema, example: fieldExample } },
    refusals: ['field-exists'],
    handle: async ({ caller, body: { label } }) => {
      const field = await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const key = freeKey(fieldsOf(tx, caller.orgId), label);
        const record = addField(tx, caller.orgId, { id: newId(), key, label, ...untold });
        note({ action: 'create', resource: `fields/${key}`, after: fieldOf(record) });
        return record;
      });
      return { status: 201, body: fieldOf(field) };
    },
  });
}

/** Nothing is known of a field before its first value. */
const untold = { dataType: 'text', typeKnown: false } as const;

function changeRoute({ store, now }: FieldRoutesOptions): Route {
  return route({
    method: 'PATCH',
    path: '/fields/{key}',
    operationId: 'changeField',
    summary: 'Rename a field, make it the name field, show or hide it, move it',
    description: [
      'With another label the key changes too, and the values move with it.',
      'A body with `isLabel` answers the full field list, whatever else it changes; any other answers the field.',
    ].join(' '),
    tag,
    access: 'caller',
    params,
    body: fieldChangeSchema,
    bodyExample: { label: 'Use by' },
    responses: {
      200: { description: 'The field, or all fields', schema: changedFieldSchema, example: fieldExample },
    },
    refusals: ['not-found', 'field-exists'],
    handle: async ({ caller, params: { key }, body }) => {
      const { after, all } = await auditedWrite(store, { author: caller, now: now() }, (tx, note) =>
        change(tx, caller.orgId, { key, body, note }),
      );
      return { status: 200, body: body.isLabel === undefined ? fieldOf(after) : all.map(fieldOf) };
    },
  });
}

interface Change {
  readonly key: string;
  readonly body: FieldChange;
  readonly note: (entry: AuditNote) => void;
}

function change(tx: Tx, orgId: string, { key, body, note }: Change) {
  const fields = fieldsOf(tx, orgId);
  const before = findField(fields, key);
  const all = changeFields(fields, before, body);
  const after = all.find(({ no }) => no === before.no) ?? before;
  putChanged(tx, orgId, { fields, all });
  note({ action: 'update', resource: `fields/${key}`, before: fieldOf(before), after: fieldOf(after) });
  const former = fields.find((one) => one.isLabel && one.no !== before.no);
  if (former && body.isLabel)
    note({
      action: 'update',
      resource: `fields/${former.key}`,
      before: { isLabel: true },
      after: { isLabel: false },
    });
  return { after, all };
}

function removeRoute({ store, now }: FieldRoutesOptions): Route {
  return route({
    method: 'DELETE',
    path: '/fields/{key}',
    operationId: 'deleteField',
    summary: 'Delete a field',
    description: 'Its values, past ones too, are gone from every tag at once. Not reversible.',
    tag,
    access: 'caller',
    params,
    responses: { 204: { description: 'Deleted' } },
    refusals: ['not-found'],
    handle: async ({ caller, params: { key } }) => {
      await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const fields = fieldsOf(tx, caller.orgId);
        const before = findField(fields, key);
        removeField(tx, caller.orgId, before);
        const kept = fields.filter((one) => one !== before);
        putChanged(tx, caller.orgId, { fields: kept, all: numbered(kept) });
        note({ action: 'delete', resource: `fields/${key}`, before: fieldOf(before) });
      });
      return { status: 204 };
    },
  });
}

/** Puts those of `all` that are not among `fields` as they are. */
function putChanged(
  tx: Tx,
  orgId: string,
  { fields, all }: { readonly fields: readonly FieldRecord[]; readonly all: readonly FieldRecord[] },
): void {
  const unchanged = new Set(fields);
  for (const field of all) if (!unchanged.has(field)) putField(tx, orgId, field);
}
