import { z } from 'zod';
import { readerExample, readerSchema } from '../../contract/reader.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import { removeReader } from '../../store/cascade.ts';
import { ofOrg } from '../../store/of-org.ts';
import { tables } from '../../store/tables.ts';
import { type ReaderSources, shownReader } from './reader-view.ts';

export type ReaderRoutesOptions = ReaderSources;

const tag = 'Readers and antennas';

/** GET /readers, DELETE /readers/{id}. */
export function readerRoutes(options: ReaderRoutesOptions): readonly Route[] {
  return [listRoute(options), removeRoute(options)];
}

function listRoute(options: ReaderRoutesOptions): Route {
  return route({
    method: 'GET',
    path: '/readers',
    operationId: 'listReaders',
    summary: 'All readers, in the order they were claimed',
    description: 'The status is derived at the moment of asking.',
    tag,
    access: 'caller',
    responses: { 200: { description: 'Readers', schema: z.array(readerSchema), example: [readerExample] } },
    handle: ({ caller }) => {
      const readers = ofOrg(options.store, tables.readers, caller.orgId).toSorted((a, b) => a.no - b.no);
      const at = options.now();
      const sources = { ...options, now: () => at };
      const body = readers.map((reader) => shownReader(sources, caller.orgId, reader));
      return { status: 200, body };
    },
  });
}

function removeRoute({ store, now }: ReaderRoutesOptions): Route {
  return route({
    method: 'DELETE',
    path: '/readers/{id}',
    operationId: 'deleteReader',
    summary: 'Remove a reader from the account',
    description:
      'Its device is released: it needs a new claim code to be claimed again. Tags it read keep data and history.',
    tag,
    access: 'caller',
    params: z.object({ id: uuidParam('reader') }),
    responses: { 204: { description: 'Removed' } },
    handle: async ({ caller, params: { id } }) => {
      await auditedWrite(store, { author: caller, now: now() }, (tx, note) => {
        const reader = removeReader(tx, caller.orgId, id);
        if (!reader) throw refuse('not-found', 'There is no reader with this id.');
        const { name, serial } = reader;
        note({ action: 'delete', resource: `readers/${id}`, before: { name, serial } });
      });
      return { status: 204 };
    },
  });
}
