import { z } from 'zod';
import { inventoryHistoryExample, inventoryHistorySchema } from '../../contract/inventory.ts';
import { minutesQuery } from '../../contract/whole-number.ts';
import { type Route, route } from '../../http/route.ts';
import type { InventoryHistory } from './inventory-history.ts';

export interface HistoryRoutesOptions {
  readonly inventoryHistory: InventoryHistory;
}

/** GET /inventory/history (extension). */
export function inventoryHistoryRoutes({ inventoryHistory }: HistoryRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/inventory/history',
      operationId: 'getInventoryHistory',
      summary: 'How many tags were present in each zone, minute by minute (extension)',
      description:
        'Counted like `/inventory/summary`, at the beginning of each minute since the service started. Held in memory.',
      tag: 'Zones and inventory',
      access: 'caller',
      query: z.object({ minutes: minutesQuery }),
      responses: {
        200: { description: 'History', schema: inventoryHistorySchema, example: inventoryHistoryExample },
      },
      handle: ({ caller, query: { minutes } }) => ({
        status: 200,
        body: inventoryHistory.of(caller.orgId, minutes),
      }),
    }),
  ];
}
