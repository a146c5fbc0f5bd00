import type { TagReadEvent } from '../../../contract/events.ts';
import type { Reader } from '../../../contract/reader.ts';
import type { HubEvent } from '../../live/batch.ts';

/** What must be true, in this order, before a reader is in service. */
export const checks = ['connected', 'agent', 'radio', 'read', 'zone'] as const;
export type Check = (typeof checks)[number];

/** The first read of a reader since the page looked, and the first of a tag in a zone. */
export interface FirstReads {
  readonly read: TagReadEvent | null;
  readonly inZone: TagReadEvent | null;
}

/** What the events of a frame add; the same object when they add nothing. Pure. */
export function withEvents(known: FirstReads, events: readonly HubEvent[], readerId: string): FirstReads {
  if (known.read && known.inZone) return known;
  const own = events.flatMap(({ type, data }) =>
    type === 'tag_read' && data.readerId === readerId ? [data] : [],
  );
  const read = known.read ?? own[0] ?? null;
  const inZone = known.inZone ?? own.find(({ zoneId }) => zoneId !== undefined) ?? null;
  return read === known.read && inZone === known.inZone ? known : { read, inZone };
}

/** Which checks a reader passes now. Pure. */
export function passed(reader: Reader, { read, inZone }: FirstReads): Readonly<Record<Check, boolean>> {
  const connected = reader.brokerStatus === 'connected';
  const isRunning = reader.enabled && reader.offlineReason === undefined;
  return {
    connected,
    agent: connected && reader.commandsSupported,
    radio: connected && isRunning,
    read: read !== null,
    zone: inZone !== null,
  };
}
