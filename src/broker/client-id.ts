import { randomUUID } from 'node:crypto';
import { topicOf } from '../contract/topics.ts';

// No serial contains it, so nobody can write another reader's prefix.
const SEPARATOR = ':';

/**
 * A client's id within the broker: scoped by its certificate's name, so that nobody can take over another
 * reader's session.
 */
export function scopedClientId(serial: string, clientId: string): string {
  return serial + SEPARATOR + (clientId === '' ? randomUUID() : clientId);
}

/** The certificate's name a scoped client id belongs to. */
export function serialOf(scopedId: string): string {
  return scopedId.slice(0, Math.max(0, scopedId.indexOf(SEPARATOR)));
}

/** The client id as the client knows it, without its scope. */
export function ownClientId(scopedId: string): string {
  return scopedId.slice(scopedId.indexOf(SEPARATOR) + 1);
}

/** The one topic a client may read. */
export function readableTopic(scopedId: string): string {
  return topicOf(serialOf(scopedId), 'commands');
}
