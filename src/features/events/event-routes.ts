import { refuse } from '../../domain/refusal.ts';
import { type Route, route } from '../../http/route.ts';
import type { LiveBus } from '../../live/bus.ts';
import { openStream } from '../../live/sse.ts';

export interface EventRoutesOptions {
  readonly bus: LiveBus;
  readonly heartbeatSeconds: number;
}

const example = [
  'event: hello\ndata: {}\n\n',
  'event: tag_read\ndata: {"epc":"3034257BF468D480000003E8","tagId":"1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d",',
  '"readerId":"5f0c7f0e-3f57-4a77-9f0b-1c2d3e4f5a6b","antennaPort":1,"rssiCdbm":-5520,',
  '"lastSeen":"2026-03-02T09:15:37.412Z","readCount":12}\n\n',
].join('');

const description = [
  'Server-Sent Events: `hello` first, then `tag_read` while tags are seen and `tag_moved` when one changes its zone.',
  'Other types may appear and are to be ignored. Nothing is replayed after a reconnect, and a consumer that does not',
  'read misses events; catch up with GET /tags or GET /inventory/summary. Use it from servers: it takes the same',
  'Authorization header as everything else.',
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
      responses: {
        200: { description: 'The stream, without end', contentType: 'text/event-stream', example },
      },
      refusals: ['unavailable'],
      handle: ({ caller, raw }) => {
        const stream = { bus, orgId: caller.orgId, callerId: caller.id, heartbeatSeconds, ...raw };
        if (openStream(stream) === 'open') return 'taken';
        throw refuse('unavailable', 'There are as many event streams open as there may be.');
      },
    }),
  ];
}
