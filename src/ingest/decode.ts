import type { TagRead } from '../domain/read.ts';
import { describeJson } from '../lib/json-describe.ts';
import { isJsonObject, type JsonObject, type Problem } from './decode-figures.ts';
import { addLines } from './decode-lines.ts';
import { plainRead } from './decode-plain.ts';
import { r700Radio, r700Read } from './decode-r700.ts';
import { type DecodedEvents, Tally } from './decode-tally.ts';
import { parseJson, utf8Text } from './decode-text.ts';
import { zebraRead, zebraTags } from './decode-zebra.ts';

export { decodeStatus } from './decode-status.ts';
export type { DecodedEvents } from './decode-tally.ts';

/**
 * Decodes a message on a reader's `events` topic; never throws, whatever the bytes. Takes one event, a list of them,
 * `{"events": […]}` or one of these per line; an event is an R700 event, Zebra tag data, a plain read or
 * `{"reads": […]}`, told apart by their keys alone, and may be mixed. Other objects count as signs of life. An item
 * that cannot be read is rejected by itself, the rest is taken. An empty message is rejected, an empty list is a sign
 * of life. In a read, an EPC, port or count that is no such thing rejects the read (it would place or count a tag
 * wrongly), a time or signal strength that is none counts as unknown. The caller limits the size of the message.
 */
export function decodeEvents(payload: Uint8Array): DecodedEvents {
  const tally = new Tally();
  const text = utf8Text(payload);
  if (text === null) tally.reject(() => 'the message is not UTF-8 text');
  else addText(tally, text);
  return tally.result();
}

function addText(tally: Tally, text: string): void {
  const parsed = parseJson(text);
  if ('value' in parsed) addValue(tally, parsed.value);
  else if (!text.includes('\n') || !addLines(tally, text, addValue)) tally.reject(() => parsed.problem);
}

function addValue(tally: Tally, value: unknown): void {
  const events = isJsonObject(value) && value.tagInventoryEvent === undefined ? value.events : value;
  if (!Array.isArray(events)) addItem(tally, value);
  else if (events.length === 0) tally.addOther(null);
  else addItems(tally, events);
}

function addItems(tally: Tally, items: readonly unknown[]): void {
  for (let at = 0; at < items.length; at++) {
    tally.item = at + 1;
    addItem(tally, items[at]);
  }
  tally.item = 0;
}

function addItem(tally: Tally, item: unknown): void {
  if (!isJsonObject(item)) tally.reject(() => `an event is ${describeJson(item)}; an object is expected`);
  else if (item.tagInventoryEvent !== undefined) tally.add(r700Read(item));
  else if (Array.isArray(item.reads)) addParts(tally, item.reads, plainRead);
  else if (item.epc !== undefined) tally.add(plainRead(item));
  else addZebraOrOther(tally, item);
}

function addZebraOrOther(tally: Tally, item: JsonObject): void {
  const tags = zebraTags(item);
  if (tags === null) tally.addOther(r700Radio(item));
  else if (tags === item.data) addParts(tally, tags, (tag) => zebraRead(item, tag));
  else tally.add(zebraRead(item, item.data));
}

function addParts(
  tally: Tally,
  parts: readonly unknown[],
  readOf: (part: unknown) => TagRead | Problem,
): void {
  if (parts.length === 0) tally.addOther(null);
  for (let at = 0; at < parts.length; at++) {
    tally.part = at + 1;
    tally.add(readOf(parts[at]));
  }
  tally.part = 0;
}
