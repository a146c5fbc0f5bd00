import type { LiveEvent, TagReadEvent } from '../contract/events.ts';

/** The first message of every stream. */
export const helloFrame = 'event: hello\ndata: {}\n\n';

/** A comment, which clients skip: keeps the connection open through proxies and tells a dead one. */
export const heartbeatFrame = ': \n\n';

/**
 * One event as the stream carries it: its type, one line of JSON, a blank line. Bare line ends and NUL inside labels
 * can't break the frame, because JSON escapes all control characters.
 */
export function frameOf(event: LiveEvent): string {
  const data = event.type === 'tag_read' ? tagRead(event.data) : JSON.stringify(event.data);
  return `event: ${event.type}\ndata: ${data}\n\n`;
}

/** The same as `JSON.stringify`, at a third of its cost: nearly every event of a busy stream is one of these. */
function tagRead(data: TagReadEvent): string {
  if (data.label !== undefined || data.attrs !== undefined) return JSON.stringify(data);
  const { zoneId, zoneName, rssiCdbm } = data;
  return (
    `{"epc":${quoted(data.epc)},"tagId":${quoted(data.tagId)},"readerId":${quoted(data.readerId)}` +
    `,"antennaPort":${data.antennaPort}` +
    (zoneId === undefined ? '' : `,"zoneId":${quoted(zoneId)}`) +
    (zoneName === undefined ? '' : `,"zoneName":${quoted(zoneName)}`) +
    (rssiCdbm === undefined ? '' : `,"rssiCdbm":${rssiCdbm}`) +
    `,"lastSeen":"${data.lastSeen}","readCount":${data.readCount}}`
  );
}

/** Letters, digits, blanks and dashes need no escaping. */
const PLAIN = /^[\w -]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
