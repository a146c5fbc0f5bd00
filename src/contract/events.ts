import { z } from 'zod';
import { parseEpc } from '../domain/epc.ts';

/** What the live stream carries: the SSE event name and its data, as interface.md, "Event stream", has them. */
export interface TagReadEvent {
  readonly epc: string;
  readonly tagId: string;
  readonly label?: string | undefined;
  readonly attrs?: Readonly<Record<string, unknown>> | undefined;
  readonly readerId: string;
  readonly antennaPort: number;
  readonly zoneId?: string;
  readonly zoneName?: string;
  /** Smoothed average, hundredths of a dBm; absent while the reader reports no signal strength. */
  readonly rssiCdbm?: number;
  readonly lastSeen: string;
  readonly readCount: number;
}

export interface TagMovedEvent {
  readonly tagId: string;
  readonly epc: string;
  readonly label?: string | undefined;
  readonly fromZoneId?: string;
  readonly toZoneId: string;
  readonly zoneName: string;
  readonly at: string;
}

/** Marks the start or end of a stretch of presence on one antenna (internal: clients ignore it). */
export interface SessionEvent {
  readonly tagId: string;
  readonly epc: string;
  readonly readerId: string;
  readonly antennaPort: number;
  readonly at: string;
  readonly readCount: number;
}

export type LiveEvent =
  | { readonly type: 'tag_read'; readonly data: TagReadEvent }
  | { readonly type: 'tag_moved'; readonly data: TagMovedEvent }
  | { readonly type: 'session_started' | 'session_ended'; readonly data: SessionEvent };

/** The types a stream can be narrowed to. `hello` and `resync` come on every stream. */
export const liveEventTypes = [
  'tag_read',
  'tag_moved',
  'session_started',
  'session_ended',
] as const satisfies readonly LiveEvent['type'][];

/** So many EPCs, or zones, one stream can be narrowed to. */
const streamFilterValues = 100;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The query of GET /events/stream (extension): comma-separated lists; what an event must pass is all of them. */
export const streamQuery = z.object({
  types: listOf(typeNamed, `is none of ${liveEventTypes.join(', ')}`).meta({
    description: `Event types, separated by commas: ${liveEventTypes.join(', ')}. All when left out (extension)`,
    examples: ['tag_read,tag_moved'],
  }),
  zoneId: listOf(zoneIdIn, 'is no UUID').meta({
    description:
      'Only events of these zones, up to 100 separated by commas: `tag_read` there, `tag_moved` from or to there. ' +
      'Session events have no zone (extension)',
    examples: ['2f6d9a10-7c3b-4c5d-9e8f-0a1b2c3d4e5f'],
  }),
  epc: listOf(parseEpc, 'is not 8 to 64 hexadecimal digits').meta({
    description: 'Only events of these tags: whole EPCs, up to 100 separated by commas (extension)',
    examples: ['3034257BF468D480000003E8'],
  }),
  lastEventId: z
    .string()
    .max(200)
    .optional()
    .meta({
      description:
        'For clients that cannot send the header `Last-Event-ID`, which goes before it (extension)',
      examples: ['9b2f61c0-1041'],
    }),
});

function typeNamed(text: string): LiveEvent['type'] | null {
  return liveEventTypes.find((type) => type === text) ?? null;
}

function zoneIdIn(text: string): string | null {
  const folded = text.toLowerCase();
  return UUID.test(folded) ? folded : null;
}

function listOf<T extends string>(parse: (text: string) => T | null, fault: string) {
  return z
    .string()
    .transform((text, context) => {
      const items = text.split(',').map((item) => item.trim());
      const bad = items.find((item) => parse(item) === null);
      if (bad === undefined && items.length <= streamFilterValues)
        return items.flatMap((item) => parse(item) ?? []);
      context.addIssue(listFault(bad, fault));
      return z.NEVER;
    })
    .optional();
}

function listFault(bad: string | undefined, fault: string): string {
  if (bad === undefined) return `may name ${streamFilterValues} at most`;
  return `names ${JSON.stringify(bad.slice(0, 70))}, which ${fault}`;
}
