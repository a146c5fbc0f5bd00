import type { LiveEvent, SessionEvent } from '../contract/events.ts';
import type { Move } from '../domain/location.ts';
import type { Sighting } from '../domain/presence.ts';
import { portOf } from '../domain/tag-state.ts';
import type { Value } from '../domain/value.ts';
import { formatInstant } from '../lib/instant.ts';
import type { Directory, PortContext, ReaderContext } from '../store/directory.ts';
import type { TagView } from './view.ts';

/** What people call a tag, and the values of the fields shown in tables; absent if there are none. */
export interface TagDescription {
  readonly label: string | undefined;
  readonly attrs: Readonly<Record<string, Value>> | undefined;
}

export type DescribeTag = (orgId: string, tagNo: number) => TagDescription;

/** Of a tag that nobody said anything of. */
export const undescribed: TagDescription = { label: undefined, attrs: undefined };

/** `tag_read` of a stretch of presence as it stands now. */
export function tagReadEvent(
  view: TagView,
  sighting: Sighting,
  at: { reader: ReaderContext; port: PortContext; told: TagDescription },
): LiveEvent {
  const zone = at.port.zone;
  return {
    type: 'tag_read',
    data: {
      epc: view.epc,
      tagId: view.id,
      label: at.told.label,
      attrs: at.told.attrs,
      readerId: at.reader.reader.id,
      antennaPort: at.port.port,
      // JSON leaves out what is undefined; a spread would give each of these objects a shape of its own, which is slow.
      zoneId: zone?.id,
      zoneName: zone?.name,
      rssiCdbm: sighting.rssiCdbm === null ? undefined : Math.round(sighting.rssiCdbm),
      lastSeen: formatInstant(sighting.visit.lastAt),
      readCount: sighting.readCount,
    },
  };
}

/** `tag_moved`; null when the zone is gone by now. */
export function tagMovedEvent(
  view: TagView,
  move: Move,
  { directory, told }: { directory: Directory; told: TagDescription },
): LiveEvent | null {
  const to = directory.zoneByNo(move.to);
  if (!to) return null;
  const from = directory.zoneByNo(move.from);
  return {
    type: 'tag_moved',
    data: {
      tagId: view.id,
      epc: view.epc,
      label: told.label,
      ...(from ? { fromZoneId: from.id } : {}),
      toZoneId: to.id,
      zoneName: to.name,
      at: formatInstant(move.at),
    },
  };
}

/** The start or end of a stretch of presence. */
export function sessionEvent(
  type: 'session_started' | 'session_ended',
  view: TagView,
  at: { sighting: Sighting; readerId: string },
): LiveEvent {
  const { sighting, readerId } = at;
  const data: SessionEvent = {
    tagId: view.id,
    epc: view.epc,
    readerId,
    antennaPort: portOf(sighting.visit.antennaNo),
    at: formatInstant(type === 'session_started' ? sighting.startedAt : sighting.visit.lastAt),
    readCount: sighting.readCount,
  };
  return { type, data };
}
