import { z } from 'zod';
import { readerActivityExample, readerActivitySchema } from '../../contract/reader-activity.ts';
import { minutesQuery } from '../../contract/whole-number.ts';
import { refuse } from '../../domain/refusal.ts';
import { uuidParam } from '../../http/params.ts';
import { type Route, route } from '../../http/route.ts';
import type { Store } from '../../store/store.ts';
import { tables } from '../../store/tables.ts';
import type { ReaderHistory } from './reader-history.ts';

export interface ActivityRoutesOptions {
  readonly store: Store;
  readonly readerHistory: ReaderHistory;
}

/** GET /readers/{id}/activity (extension). */
export function activityRoutes({ store, readerHistory }: ActivityRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/readers/{id}/activity',
      operationId: 'getReaderActivity',
      summary: 'Reads and health of a reader, minute by minute (extension)',
      description: 'Since the service started. Held in memory.',
      tag: 'Readers and antennas',
      access: 'caller',
      params: z.object({ id: uuidParam('reader') }),
      query: z.object({ minutes: minutesQuery }),
      refusals: ['not-found'],
      responses: {
        200: { description: 'Activity', schema: readerActivitySchema, example: readerActivityExample },
      },
      handle: ({ caller, params: { id }, query: { minutes } }) => {
        const reader = store.get(tables.readers, [caller.orgId, id]);
        if (!reader) throw refuse('not-found', 'There is no reader with this id.');
        return { status: 200, body: readerHistory.of(reader, minutes) };
      },
    }),
  ];
}
