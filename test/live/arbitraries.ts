import fc from 'fast-check';
import type { LiveEvent } from '../../src/contract/events.ts';
import { liveEventTypes } from '../../src/contract/events.ts';
import type { FilterParts } from '../../src/live/filter.ts';
import { moved, read, session } from './sinks.ts';

const epc = fc.constantFrom('AA', 'BB', 'CC');
const zone = fc.constantFrom('x', 'y', 'z');
/** Text of one, two and three bytes a character: what is cut by characters is not cut by bytes. */
const label = fc.constantFrom(undefined, 'Crate', 'Kühlbox', '箱\n\n');

/** Events of few tags and zones, so that filters meet them. */
export const liveEvents: fc.Arbitrary<LiveEvent> = fc.oneof(
  fc
    .tuple(epc, fc.option(zone, { nil: undefined }), label)
    .map(([name, zoneId, text]) => read(name, { zoneId, label: text })),
  fc
    .tuple(epc, fc.option(zone, { nil: undefined }), zone, label)
    .map(([name, fromZoneId, toZoneId, text]) => moved(name, { fromZoneId, toZoneId, label: text })),
  epc.map((name) => session(name)),
);

/** Filters of every shape, none among them. */
export const wishes: fc.Arbitrary<FilterParts> = fc.record(
  {
    types: fc.subarray([...liveEventTypes], { minLength: 1 }),
    zoneIds: fc.subarray(['x', 'y', 'z'], { minLength: 1 }),
    epcs: fc.subarray(['AA', 'BB', 'CC'], { minLength: 1 }),
  },
  { requiredKeys: [] },
);
