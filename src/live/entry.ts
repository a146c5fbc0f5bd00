import type { LiveEvent } from '../contract/events.ts';

/** Messages in the order of an organisation's stream: two lists of one length, which is cheaper than one of pairs. */
export interface Entries {
  /** Null: a message to everybody, whatever their filter. */
  readonly events: readonly (LiveEvent | null)[];
  /** As they go out, to the blank line. */
  readonly frames: readonly string[];
}

/** Tells a client that it missed events and has to catch up with GET (extension). */
export const resyncFrame = 'event: resync\ndata: {}\n\n';

/**
 * Tells a client's parser where the stream stands without being a message: a comment with an id, and no data. A client
 * that reconnects sends that id, even when it never got an event.
 */
export function positionFrame(id: string): string {
  return `: \nid: ${id}\n\n`;
}

const ID = /^(.{1,40})-(0|[1-9]\d{0,14})$/;

/** An event id, `<epoch>-<number>`: the epoch names one run of one organisation's stream, its events count from 1. */
export function eventId(epoch: string, no: number): string {
  return `${epoch}-${no}`;
}

/** The number in an id of this epoch; null for an id of another run or organisation, and for what is no id at all. */
export function numberIn(id: string, epoch: string): number | null {
  const match = ID.exec(id);
  return match?.[1] === epoch ? Number(match[2]) : null;
}
