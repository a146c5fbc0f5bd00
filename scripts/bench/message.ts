import { topicOf } from '../../src/contract/topics.ts';
import { epcOf, fleet, serialOf, tagInView } from './fleet.ts';

/** A PUBLISH ready to send but for its identifier and its times, which `stamp` writes into a copy of it. */
export interface Template {
  readonly bytes: Buffer;
  readonly idAt: number;
  /** Where each event's 29 characters of time begin. */
  readonly timesAt: readonly number[];
}

/** A time as the reader writes it, but for the `Z`: 29 characters down to nanoseconds. */
const PLACEHOLDER = '2026-01-01T00:00:00.000000000';
const PUBLISH_QOS_1 = 0x32;
const NOISE = [5450, 5800, 6150, 6500] as const;

/**
 * All messages of one reader, in the order they are sent in. Every tag is heard by two antennas in turn, both of the same
 * zone (ports 1 and 2, or 3 and 4): twice the presence to keep, and no moves once every tag is placed.
 */
export function templatesOf(reader: number, readsPerMessage: number, knownTags: number): readonly Template[] {
  const reads: string[] = [];
  for (const second of [0, 1]) {
    for (let tag = 0; tag < fleet.tagsPerReader; tag++) {
      const index = reader * fleet.tagsPerReader + tag;
      const port = (tag % 2) * 2 + 1 + second;
      reads.push(
        r700Event(epcOf(tagInView(index, knownTags)), port, NOISE[(tag + second) % NOISE.length] ?? 0),
      );
    }
  }
  const templates: Template[] = [];
  for (let at = 0; at < reads.length; at += readsPerMessage) {
    const some = reads.slice(at, at + readsPerMessage);
    templates.push(
      template(serialOf(reader), readsPerMessage === 1 ? (some[0] ?? '') : `[${some.join(',')}]`),
    );
  }
  return templates;
}

/** A tag event with the reader's defaults, the host name and the antenna's name: about 250 bytes. */
function r700Event(epc: string, port: number, rssi: number): string {
  return JSON.stringify({
    timestamp: `${PLACEHOLDER}Z`,
    hostname: 'impinj-1a-2b-3c',
    eventType: 'tagInventory',
    tagInventoryEvent: {
      epc: Buffer.from(epc, 'hex').toString('base64url'),
      antennaPort: port,
      antennaName: `dock-${port}`,
      peakRssiCdbm: -rssi,
      frequency: 866_900,
      transmitPowerCdbm: 3000,
    },
  });
}

function template(serial: string, payload: string): Template {
  const topic = Buffer.from(topicOf(serial, 'events'));
  const body = Buffer.from(payload);
  const remaining = lengthBytes(2 + topic.length + 2 + body.length);
  const topicLength = Buffer.from([topic.length >> 8, topic.length & 255]);
  const head = Buffer.concat([Buffer.from([PUBLISH_QOS_1, ...remaining]), topicLength, topic]);
  const bytes = Buffer.concat([head, Buffer.alloc(2), body]);
  const timesAt: number[] = [];
  for (let at = bytes.indexOf(PLACEHOLDER); at >= 0; at = bytes.indexOf(PLACEHOLDER, at + 1))
    timesAt.push(at);
  return { bytes, idAt: head.length, timesAt };
}

function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  for (let left = length; ; left >>= 7) {
    if (left < 128) return [...bytes, left];
    bytes.push((left & 127) | 128);
  }
}

/** Writes ever later times: of one reader no two reads have the same microsecond, and none is in the future. */
export class Clock {
  #micros = 0;
  #second = -1;
  readonly #prefix = Buffer.alloc(20);

  /** Call it before a run of stamps: at most a thousand reads in a millisecond fit between two calls of it. */
  sync(nowMs: number): void {
    this.#micros = Math.max(this.#micros, nowMs * 1000);
  }

  write(target: Buffer, at: number): void {
    const micros = ++this.#micros;
    const second = Math.floor(micros / 1_000_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#prefix.write(`${new Date(second * 1000).toISOString().slice(0, 19)}.`, 'latin1');
    }
    this.#prefix.copy(target, at);
    let left = micros - second * 1_000_000;
    for (let digit = 5; digit >= 0; digit--) {
      target[at + 20 + digit] = 48 + (left % 10);
      left = Math.floor(left / 10);
    }
  }
}

/** Copies a template to `at` of `target` with its identifier and times, and answers where it ends. */
export function stamp(
  target: Buffer,
  at: number,
  what: { template: Template; id: number; clock: Clock },
): number {
  const { bytes, idAt, timesAt } = what.template;
  bytes.copy(target, at);
  target[at + idAt] = what.id >> 8;
  target[at + idAt + 1] = what.id & 255;
  for (const time of timesAt) what.clock.write(target, at + time);
  return at + bytes.length;
}
