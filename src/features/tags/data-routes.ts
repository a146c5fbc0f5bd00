import { type TagData, tagDataExample, tagDataSchema } from '../../contract/tag-data.ts';
import { limits } from '../../domain/limits.ts';
import { textMap } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import { fieldsOf } from '../../store/fields.ts';
import type { Store } from '../../store/store.ts';
import { currentValues } from '../../store/tag-data.ts';
import type { TagLedger } from '../../store/tag-ledger.ts';
import { attributesOf } from './attributes.ts';
import { epcParams, findTag } from './find-tag.ts';
import { writeData } from './write-data.ts';

export interface DataRoutesOptions {
  readonly store: Store;
  readonly ledger: TagLedger;
  /** Epoch ms. */
  readonly now: () => number;
  /** A new UUID. */
  readonly newId: () => string;
}

const tag = 'Tags and tag data';

const bodyMeta = {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: limits.valueMaxLength },
  maxProperties: limits.keysPerWrite,
} as const;

const bodySchema = textMap(limits.valueMaxLength)
  .refine(({ size }) => size <= limits.keysPerWrite, `must have at most ${limits.keysPerWrite} members`)
  .meta(bodyMeta);

/** GET and PUT of a tag's data. */
export function dataRoutes(options: DataRoutesOptions): readonly Route[] {
  return [readRoute(options), writeRoute(options)];
}

function readRoute({ store }: DataRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/tags/{epc}/data',
    operationId: 'getTagData',
    summary: 'What people say of a tag',
    description: 'An unknown EPC has no attributes and no `tagId`.',
    tag,
    access: 'caller',
    params: epcParams,
    responses: { 200: { description: 'The data', schema: tagDataSchema, example: tagDataExample } },
    handle: ({ caller, params: { epc } }) => ({ status: 200, body: dataOf(store, caller.orgId, epc) }),
  });
}

function dataOf(store: Store, orgId: string, epc: string): TagData {
  const found = findTag(store, orgId, epc);
  if (!found) return { epc, attributes: {} };
  const attributes = attributesOf(fieldsOf(store, orgId), currentValues(store, found.tagNo));
  return { epc, tagId: found.id, attributes };
}

const description = [
  'Only the fields sent change; a blank value clears. All values are sent as text: `true`, `yes`, `false` and `no` become',
  'booleans, a decimal number becomes a number unless it has a leading zero or would lose digits, all else stays text.',
  'A key is that of a field, or a label whose key is derived; without such a field one is made, unless the value is blank.',
  'An unknown EPC becomes a tag, even when nothing is said of it.',
  'Two keys of the same field, `epc`, and a key without letter or digit are refused, and nothing changes.',
].join(' ');

function writeRoute(options: DataRoutesOptions): Route {
  return route({
    method: 'PUT',
    path: '/tags/{epc}/data',
    operationId: 'putTagData',
    summary: 'Set and clear values of a tag',
    description,
    tag,
    access: 'caller',
    params: epcParams,
    body: bodySchema,
    bodyExample: { name: 'Pallet 17', weight: '412.5', 'Best before': '' },
    responses: {
      200: { description: 'All current values', schema: tagDataSchema, example: tagDataExample },
    },
    handle: async ({ caller, params: { epc }, body: sent }) => {
      const { ledger, newId } = options;
      const now = options.now();
      const { data, entry } = await auditedWrite(ledger, { author: caller, now }, (tx, note) =>
        writeData(tx, { orgId: caller.orgId, epc, sent, now, newId, ledger, note }),
      );
      if (entry) ledger.applied(entry);
      return { status: 200, body: data };
    },
  });
}
