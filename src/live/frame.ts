import type { LiveEvent } from '../contract/events.ts';

/** The first message of every stream. */
export const helloFrame = 'event: hello\ndata: {}\n\n';

/** A comment, which clients skip: keeps the connection open through proxies and tells a dead one. */
export const heartbeatFrame = ': \n\n';

/**
 * One event as the stream carries it: its type, one line of JSON, a blank line. Bare line ends and NUL inside labels
 * can't break the frame, because JSON escapes all control characters.
 */
export function frameOf(event: LiveEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
