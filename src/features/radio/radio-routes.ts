import { z } from 'zod';
import {
  antennaReadsExample,
  antennaReadsSchema,
  crossReadsExample,
  crossReadsSchema,
  strongestQuerySchema,
  strongestTagExample,
  strongestTagSchema,
  whatIfExample,
  whatIfInputSchema,
  whatIfSchema,
  windowQuery,
} from '../../contract/radio.ts';
import { limits } from '../../domain/limits.ts';
import { Refused } from '../../domain/refusal.ts';
import { type Route, route } from '../../http/route.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { antennaReads } from './antenna-reads.ts';
import { crossReads } from './cross-reads.ts';
import type { RadioSources } from './radio-sources.ts';
import { strongestTags } from './strongest-tags.ts';
import { whatIf } from './what-if.ts';

interface RadioHouse {
  readonly sources: RadioSources;
  readonly line: WorkQueue;
}

const shared = { tag: 'Radio', access: 'caller', refusals: ['too-many-requests'] } as const;

const held = [
  `The last ${limits.recentReads.toLocaleString('en')} reads of all readers are held in memory, since the start of the service.`,
  'A read counts in the window it arrived in.',
].join(' ');

/** GET /radio/antennas, GET /radio/cross-reads, POST /radio/what-if, GET /radio/strongest (extensions). */
export function radioRoutes(sources: RadioSources): readonly Route[] {
  const line = new WorkQueue({ atOnce: 2, waiting: 50, full });
  const house = { sources, line };
  return [antennasRoute(house), crossReadsRoute(house), whatIfRoute(house), strongestRoute(house)];
}

function full(): Error {
  const detail = 'Too many questions about recent reads wait already.';
  return new Refused({ kind: 'too-many-requests', detail, retryAfterSeconds: 1 });
}

function antennasRoute({ sources, line }: RadioHouse): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/radio/antennas',
    operationId: 'listAntennaReads',
    summary: 'What every antenna port heard in the last seconds (extension)',
    description: `Reader by reader in the order they were claimed, silent ports too. ${held}`,
    query: z.object({ seconds: windowQuery(60) }),
    responses: {
      200: {
        description: 'One entry for each port of each reader',
        schema: z.array(antennaReadsSchema),
        example: [antennaReadsExample],
      },
    },
    handle: async ({ caller, query: { seconds } }) => {
      const body = await line.run(() => antennaReads(sources, caller.orgId, seconds));
      return { status: 200, body };
    },
  });
}

function crossReadsRoute({ sources, line }: RadioHouse): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/radio/cross-reads',
    operationId: 'getCrossReads',
    summary: 'Tags that were heard in more than one zone (extension)',
    description: `And how strongly in each. An antenna counts for the zone it watches now. ${held}`,
    query: z.object({ seconds: windowQuery(300) }),
    responses: { 200: { description: 'Cross reads', schema: crossReadsSchema, example: crossReadsExample } },
    handle: async ({ caller, query: { seconds } }) => {
      const body = await line.run(() => crossReads(sources, caller.orgId, seconds));
      return { status: 200, body };
    },
  });
}

function whatIfRoute({ sources, line }: RadioHouse): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/radio/what-if',
    operationId: 'tryLocationPolicy',
    summary: 'What another location policy would have changed (extension)',
    description: [
      'Replays the reads of the window, from nothing, under the policies in force and under the one tried.',
      `It changes nothing, so it is also possible while the licence allows reading only. ${held}`,
    ].join(' '),
    readsOnly: true,
    body: whatIfInputSchema,
    bodyExample: { seconds: 300, policy: 'stable' },
    responses: { 200: { description: 'The comparison', schema: whatIfSchema, example: whatIfExample } },
    handle: async ({ caller, body: question }) => {
      const body = await line.run(() => whatIf(sources, caller.orgId, question));
      return { status: 200, body };
    },
  });
}

function strongestRoute({ sources, line }: RadioHouse): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/radio/strongest',
    operationId: 'listStrongestTags',
    summary: 'The tags an antenna hears best just now (extension)',
    description: `Up to ${limits.strongestTags}, strongest first: for linking a tag by holding it to a reader. ${held}`,
    query: strongestQuerySchema,
    refusals: ['not-found', ...shared.refusals],
    responses: {
      200: { description: 'Tags', schema: z.array(strongestTagSchema), example: [strongestTagExample] },
    },
    handle: async ({ caller, query }) => {
      const body = await line.run(() => strongestTags(sources, caller.orgId, query));
      return { status: 200, body };
    },
  });
}
