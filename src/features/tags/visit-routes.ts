import { z } from 'zod';
import { type Visit, visitExample, visitQuerySchema, visitSchema } from '../../contract/visit.ts';
import { limits } from '../../domain/limits.ts';
import { refuse } from '../../domain/refusal.ts';
import { portOf, readerNoOf, type Visit as Stay } from '../../domain/tag-state.ts';
import { type Route, route } from '../../http/route.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { Directory } from '../../store/directory.ts';
import type { Store } from '../../store/store.ts';
import type { TagLedger } from '../../store/tag-ledger.ts';
import { epcParams, findTag } from './find-tag.ts';

export interface VisitRoutesOptions {
  readonly store: Store;
  readonly directory: Directory;
  readonly ledger: TagLedger;
}

/** GET /tags/{epc}/visits (extension). */
export function visitRoutes({ store, directory, ledger }: VisitRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/tags/{epc}/visits',
      operationId: 'listTagVisits',
      summary: 'Where a tag was, newest stay first (extension)',
      description: [
        `The ${limits.visitsPerAnswer} stays that began last. A stay is at one antenna and ends when the tag was not read`,
        'there for the presence window, or the antenna watches another zone.',
      ].join(' '),
      tag: 'Tags and tag data',
      access: 'caller',
      params: epcParams,
      query: visitQuerySchema,
      responses: { 200: { description: 'Stays', schema: z.array(visitSchema), example: [visitExample] } },
      refusals: ['not-found'],
      handle: ({ caller, params: { epc }, query: { limit = limits.visitsPerAnswer } }) => {
        const found = findTag(store, caller.orgId, epc);
        if (!found) throw refuse('not-found', 'There is no tag with this EPC.');
        const stays = ledger.visits(found.tagNo, limit);
        return { status: 200, body: stays.map((stay) => visitOf(stay, directory, caller.orgId)) };
      },
    }),
  ];
}

function visitOf(stay: Stay, directory: Directory, orgId: string): Visit {
  const zone = directory.zoneByNo(stay.zoneNo);
  const reader = directory.readerByNo(readerNoOf(stay.antennaNo));
  const port = portOf(stay.antennaNo);
  return {
    ...(zone?.orgId === orgId && { zoneId: zone.id, zoneName: zone.name }),
    ...(reader?.orgId === orgId && { readerId: reader.reader.id, readerName: reader.reader.name }),
    ...(port > 0 && { antennaPort: port }),
    firstSeenAt: formatInstant(stay.firstAt),
    lastSeenAt: formatInstant(stay.lastAt),
    reads: stay.reads,
  };
}
