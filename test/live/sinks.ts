import type { LiveEvent } from '../../src/contract/events.ts';
import type { LiveSink } from '../../src/live/consumer.ts';
import { type SseEvent, strictParser } from '../support/http-sse.ts';

/** A sink that keeps what it takes. */
export interface TestSink extends LiveSink {
  readonly batches: Buffer[];
  ends: number;
  takes: boolean;
  /** Everything so far, parsed strictly. */
  events(): readonly SseEvent[];
  /** The id a client would come back with. */
  lastEventId(): string | null;
}

export function sink(callerId = 'key'): TestSink {
  const batches: Buffer[] = [];
  const parsed = () => {
    const parser = strictParser();
    return { events: parser.push(Buffer.concat(batches)), lastEventId: parser.lastEventId() };
  };
  return {
    callerId,
    batches,
    ends: 0,
    takes: true,
    write(batch) {
      if (this.takes) batches.push(batch);
      return this.takes;
    },
    end() {
      this.ends++;
    },
    events: () => parsed().events,
    lastEventId: () => parsed().lastEventId,
  };
}

/** The EPCs of the events a sink took, and the types of those without one. */
export function names(one: TestSink): string[] {
  return one.events().map(({ type, data }) => data.epc ?? type);
}

const at = '2026-03-01T12:00:00.000Z';

export function moved(epc: string, more: object = {}): LiveEvent {
  return { type: 'tag_moved', data: { tagId: 't', epc, toZoneId: 'z', zoneName: 'Dock', at, ...more } };
}

export function read(epc: string, more: object = {}): LiveEvent {
  const data = { tagId: 't', epc, readerId: 'r', antennaPort: 1, lastSeen: at, readCount: 1, ...more };
  return { type: 'tag_read', data };
}

export function session(epc: string, more: object = {}): LiveEvent {
  const data = { tagId: 't', epc, readerId: 'r', antennaPort: 1, at, readCount: 1, ...more };
  return { type: 'session_started', data };
}
