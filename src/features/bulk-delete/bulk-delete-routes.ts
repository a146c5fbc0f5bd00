import { bulkDeletedSchema, bulkDeleteSchema } from '../../contract/bulk-delete.ts';
import { limits } from '../../domain/limits.ts';
import { type Caller, type Route, route } from '../../http/route.ts';
import { type AuditNote, auditedWrite } from '../../store/audit.ts';
import type { Directory } from '../../store/directory.ts';
import { type Forgotten, forgetTags, removeTraces, type UnlinkedAsset } from '../../store/forget-tags.ts';
import { type Store, WriteFailed } from '../../store/store.ts';
import type { TagLedger } from '../../store/tag-ledger.ts';

export interface BulkDeleteOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly ledger: TagLedger;
  /** Epoch ms. */
  readonly now: () => number;
}

const description = [
  `Up to ${limits.bulkDeleteEpcs} at once, all of them or none: data, history, read history, location and asset link go`,
  'with the tag. Unknown EPCs are passed over. A deleted tag that is read again comes back as a new tag without data.',
  'It cannot be undone.',
].join(' ');

/** POST /tags/bulk-delete. */
export function bulkDeleteRoutes(options: BulkDeleteOptions): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/tags/bulk-delete',
      operationId: 'deleteTags',
      summary: 'Delete tags with everything that is known of them',
      description,
      tag: 'Tags and tag data',
      access: 'caller',
      body: bulkDeleteSchema,
      bodyMaxBytes: 2 * limits.jsonBodyMaxBytes,
      bodyExample: { epcs: ['3034257BF468D480000003E8'] },
      responses: {
        200: { description: 'How many there were', schema: bulkDeletedSchema, example: { deleted: 1 } },
      },
      handle: async ({ caller, body: { epcs } }) => {
        const { tagNos } = await deleteTags(options, caller, epcs);
        await clear(options.store, tagNos);
        return { status: 200, body: { deleted: tagNos.length } };
      },
    }),
  ];
}

async function deleteTags(
  { directory, ledger, now }: BulkDeleteOptions,
  caller: Caller,
  epcs: readonly string[],
): Promise<Forgotten> {
  const { orgId } = caller;
  const orgNo = directory.org(orgId)?.no ?? 0;
  const at = now();
  const forgotten = await auditedWrite(ledger, { author: caller, now: at }, (tx, note) => {
    const done = forgetTags(tx, { ledger, orgId, orgNo, epcs, now: at });
    for (const entry of notesOf(done)) note(entry);
    return done;
  });
  if (forgotten.entry) ledger.applied(forgotten.entry);
  return forgotten;
}

/** EPCs an audit entry holds: with all of them in one a page of the audit log could have hundreds of megabytes. */
const EPCS_NOTED = 500;

/** One entry for some of the EPCs each, so that all of them are on record, and one for each asset that lost its tag. */
function notesOf({ epcs, unlinked }: Forgotten): readonly AuditNote[] {
  const parts = Array.from({ length: Math.ceil(epcs.length / EPCS_NOTED) }, (_, nth) =>
    epcs.slice(nth * EPCS_NOTED, (nth + 1) * EPCS_NOTED),
  );
  const deleted = parts.map((part) => {
    const before = { deleted: part.length, of: epcs.length, epcs: part };
    return { action: 'delete', resource: 'tags', before };
  });
  return [...deleted, ...unlinked.map(unlinkNote)];
}

function unlinkNote({ asset: { id, assetTagNumber, name, status }, epc }: UnlinkedAsset): AuditNote {
  const after = { id, assetTagNumber, name, status };
  return { action: 'unlink', resource: `assets/${id}`, before: { epc }, after };
}

// The tags are gone by then. What a failing disk keeps of them, the next start removes.
async function clear(store: Store, tagNos: readonly number[]): Promise<void> {
  try {
    await removeTraces(store, tagNos);
  } catch (error) {
    if (!(error instanceof WriteFailed)) throw error;
  }
}
