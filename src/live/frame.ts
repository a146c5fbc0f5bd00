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

/**
 * The same as `JSON.stringify` makes of an event whose members are in the order of their declaration, at a third of its
 * cost: nearly every event of a busy stream is one of these.
 */
function tagRead(data: TagReadEvent): string {
  const { label, attrs, zoneId, zoneName, rssiCdbm } = data;
  return (
    `{"epc":${quoted(data.epc)},"tagId":${quoted(data.tagId)}` +
    (label === undefined ? '' : `,"label":${quoted(label)}`) +
    (attrs === undefined ? '' : `,"attrs":${attributes(attrs)}`) +
    `,"readerId":${quoted(data.readerId)},"antennaPort":${data.antennaPort}` +
    (zoneId === undefined ? '' : `,"zoneId":${quoted(zoneId)}`) +
    (zoneName === undefined ? '' : `,"zoneName":${quoted(zoneName)}`) +
    (rssiCdbm === undefined ? '' : `,"rssiCdbm":${rssiCdbm}`) +
    `,"lastSeen":"${data.lastSeen}","readCount":${data.readCount}}`
  );
}

type Attributes = NonNullable<TagReadEvent['attrs']>;

/** Events of one tag share one object of attributes, which never changes, until there is another. */
const written = new WeakMap<Attributes, string>();

function attributes(attrs: Attributes): string {
  const known = written.get(attrs);
  if (known !== undefined) return known;
  const text = JSON.stringify(attrs);
  written.set(attrs, text);
  return text;
}

/** Letters, digits, blanks and dashes need no escaping. */
const PLAIN = /^[\w -]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
