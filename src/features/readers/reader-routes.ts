import { z } from 'zod';
import { readerExample, readerSchema } from '../../contract/reader.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import { auditedWrite } from '../../store/audit.ts';
import { removeReader } from '../../store/cascade.ts';
import type { Directory } from '../../store/directory.ts';
import { ofOrg } from '../../store/of-org.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { DeviceActivitySource } from './device-signs.ts';
import { readerView } from './reader-view.ts';

export interface ReaderRoutesOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly activity: DeviceActivitySource;
  /** Epoch ms. */
  readonly now: () => number;
  /** A connected reader that is silent this long is offline, ms; 0 = never. */
  readonly noDataMs: number;
}

const tag = 'Readers and antennas';

/** GET /readers, DELETE /readers/{id}. */
export function readerRoutes(options: ReaderRoutesOptions): readonly Route[] {
  return [listRoute(options), removeRoute(options)];
}

function listRoute({ store, directory, activity, now, noDataMs }: ReaderRoutesOptions): Route {
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
      const at = now();
      const readers = ofOrg(store, tables.readers, caller.orgId).toSorted((a, b) => a.no - b.no);
      const body = readers.map((reader) => {
        const device = directory.device(reader.serial);
        return readerView({ reader, device, signs: activity.of(reader.serial), now: at, noDataMs });
      });
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
