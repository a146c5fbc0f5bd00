import type { AssetEvent } from '../../../contract/asset.ts';

/** An entry of the history as it is shown: leaving one zone for another is one. */
export interface Shown {
  readonly event: AssetEvent;
  /** On a move: the name of the zone it left. */
  readonly from?: string;
}

/** A history, newest first, in which an arrival and the departure at the same moment are one move. */
export function movesTogether(events: readonly AssetEvent[]): readonly Shown[] {
  const shown: Shown[] = [];
  for (let at = 0; at < events.length; at += 1) {
    const event = events[at];
    if (!event) break;
    const older = events[at + 1];
    const isMove =
      event.kind === 'zone_enter' && older?.kind === 'zone_exit' && older.occurredAt === event.occurredAt;
    const from = isMove ? (older.meta.zoneName ?? older.zoneName) : undefined;
    shown.push({ event, ...(from !== undefined && { from }) });
    if (from !== undefined) at += 1;
  }
  return shown;
}
