import type { IncomingMessage } from 'node:http';
import { streamQuery } from '../../contract/events.ts';
import { refuse } from '../../domain/refusal.ts';
import { type Route, route } from '../../http/route.ts';
import type { LiveBus } from '../../live/bus.ts';
import { eventFilter } from '../../live/filter.ts';
import { openStream } from '../../live/sse.ts';

export interface EventRoutesOptions {
  readonly bus: LiveBus;
  readonly heartbeatSeconds: number;
}

const example = [
  'event: hello\ndata: {}\n\n',
  ': \nid: 9b2f61c0-1041\n\n',
  'id: 9b2f61c0-1042\nevent: tag_read\n',
  'data: {"epc":"3034257BF468D480000003E8","tagId":"1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d",',
  '"readerId":"5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b","antennaPort":1,"rssiCdbm":-5520,',
  '"lastSeen":"2026-03-02T09:15:37.412Z","readCount":12}\n\n',
].join('');

const description = [
  'Server-Sent Events: `hello` first, then `tag_read` while tags are seen and `tag_moved` when one changes its zone.',
  'Other types may appear and are to be ignored. Comments come every few seconds to keep the connection open. A consumer',
  'that does not read misses events; streams close from time to time, also when the API key or session behind one ends.',
  'After a reconnect nothing is replayed: catch up with GET /tags or GET /inventory/summary.\n\n',
  'Extensions. `types`, `zoneId` and `epc` narrow the stream; an event must agree with all that are given. Each event has',
  'an `id`; a client that reconnects with the last one it got in `Last-Event-ID` gets the events it missed, as long as',
  'they are among the last 10,000 (4 MB) and somebody listened less than a minute before. When what was missed cannot be',
  'told, because it is too long ago, the appliance was restarted, the id is not of this stream or the consumer did not',
  'read, one event `resync` with data `{}` says so: catch up with GET.',
].join(' ');

/** GET /events/stream: the caller's organisation, live. 503 while it has as many streams as it may. */
export function eventRoutes({ bus, heartbeatSeconds }: EventRoutesOptions): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/events/stream',
      operationId: 'streamEvents',
      summary: 'The live event stream',
      description,
      tag: 'Live events',
      access: 'caller',
      query: streamQuery,
      responses: {
        200: { description: 'The stream, without end', contentType: 'text/event-stream', example },
      },
      refusals: ['unavailable'],
      handle: ({ caller, raw, query }) => {
        const { types, zoneId: zoneIds, epc: epcs } = query;
        const filter = eventFilter({ types, zoneIds, epcs });
        const lastEventId = lastEventIdOf(raw.req) ?? (query.lastEventId || null);
        const callerId = caller.sessionId ?? caller.id;
        const { orgId } = caller;
        const stream = { bus, orgId, callerId, filter, lastEventId, heartbeatSeconds, ...raw };
        if (openStream(stream) === 'open') return 'taken';
        throw refuse('unavailable', 'There are as many event streams open as there may be.');
      },
    }),
  ];
}

/** An empty id is none: that is how browsers say that there was no event yet. */
function lastEventIdOf({ headers }: IncomingMessage): string | null {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : null;
}
