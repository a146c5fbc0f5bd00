import { type FrameLimits, FrameScanner } from './frame-scanner.ts';

/** A PUBLISH on the tapped topic; `messageId` is 0 for QoS 0. `payload` is a view of the received bytes. */
export interface TappedPublish {
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  readonly dup: boolean;
  readonly messageId: number;
}

export interface FrameTapParts {
  readonly limits: FrameLimits;
  /** What is taken out of the stream; null: nothing is. */
  readonly topic: string | null;
  readonly onPublish: (publish: TappedPublish) => void;
}

/** A packet over its limit was announced. */
export const OVERSIZED = Symbol('oversized');

const PUBLISH = 3;
const QOS_1 = 0b0010;
const QOS_2 = 0b0100;
const DUP = 0b1000;
const LENGTH_BYTES_MAX = 4;
const INCOMPLETE = -1;

/**
 * Takes the publishes that matter out of a stream of MQTT packets before the general parser sees them: whole packets of QoS 0
 * and 1 on one topic. That is nearly all a reader ever sends, and parsing it once by hand instead of packet by packet through
 * streams and events is most of what a message costs. Everything else passes through byte by byte, in its order.
 */
export class FrameTap {
  readonly #parts: FrameTapParts;
  readonly #scanner: FrameScanner;
  readonly #topic: Buffer | null;
  /** Whether the bytes to come begin with a packet; known from the first time on that the scanner stands between two. */
  #aligned = false;
  /** The beginning of a packet whose end has not come. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** How long the held packet is, as far as it is known. */
  #needed = 0;

  constructor(parts: FrameTapParts) {
    this.#parts = parts;
    this.#scanner = new FrameScanner(parts.limits);
    this.#topic = parts.topic === null ? null : Buffer.from(parts.topic);
  }

  /**
   * Takes the next bytes and answers what is left for the parser; null when that is nothing. While `open` is false all of
   * it is. The tap is of no use after `OVERSIZED`.
   */
  accept(chunk: Buffer, open: boolean): Buffer | null | typeof OVERSIZED {
    const aligned = this.#aligned || (open && this.#topic !== null && this.#scanner.isBetween);
    if (!this.#scanner.accept(chunk)) return OVERSIZED;
    this.#aligned = aligned;
    if (!aligned) return chunk;
    const bytes = this.#joined(chunk);
    return bytes && this.#split(bytes);
  }

  /** The held bytes and these; null while the held packet is still not whole. */
  #joined(chunk: Buffer): Buffer | null {
    if (this.#heldBytes === 0) return chunk;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < this.#needed) return null;
    const all = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return all;
  }

  // From the first packet that is not ours on, the rest of the bytes goes to the parser: so answers leave in the order of the packets.
  #split(bytes: Buffer): Buffer | null {
    let at = 0;
    let end = this.#endOf(bytes, at);
    while (end !== INCOMPLETE && this.#aligned && this.#take(bytes, at, end)) {
      at = end;
      end = this.#endOf(bytes, at);
    }
    const from = at;
    while (end !== INCOMPLETE) {
      at = end;
      end = this.#endOf(bytes, at);
    }
    this.#hold(bytes, at);
    return at > from ? bytes.subarray(from, at) : null;
  }

  #hold(bytes: Buffer, at: number): void {
    if (at >= bytes.length) return;
    this.#held.push(bytes.subarray(at));
    this.#heldBytes = bytes.length - at;
  }

  /** Where the packet at `at` ends; `INCOMPLETE` when that lies behind the bytes. */
  #endOf(bytes: Buffer, at: number): number {
    let length = 0;
    for (let no = 0; no < LENGTH_BYTES_MAX; no++) {
      const byte = bytes[at + 1 + no];
      if (byte === undefined) {
        this.#needed = no + 2;
        return INCOMPLETE;
      }
      length += (byte & 127) * 128 ** no;
      if (byte >= 128) continue;
      this.#needed = 2 + no + length;
      return at + this.#needed <= bytes.length ? at + this.#needed : INCOMPLETE;
    }
    // The parser closes the connection over it; what follows is no packet.
    this.#aligned = false;
    return at < bytes.length ? bytes.length : INCOMPLETE;
  }

  /** False for a packet that is not ours. */
  #take(bytes: Buffer, at: number, end: number): boolean {
    const topic = this.#topic;
    const first = bytes[at] ?? 0;
    if (topic === null || first >> 4 !== PUBLISH || (first & QOS_2) !== 0) return false;
    const qos = (first & QOS_1) === 0 ? 0 : 1;
    const dup = (first & DUP) !== 0;
    const start = bodyAt(bytes, at);
    const idAt = start + 2 + topic.length;
    const payloadAt = idAt + 2 * qos;
    if (payloadAt > end || (dup && qos === 0) || bytes.readUInt16BE(start) !== topic.length) return false;
    if (bytes.compare(topic, 0, topic.length, start + 2, idAt) !== 0) return false;
    const messageId = qos === 0 ? 0 : bytes.readUInt16BE(idAt);
    if (qos === 1 && messageId === 0) return false;
    this.#parts.onPublish({ payload: bytes.subarray(payloadAt, end), qos, dup, messageId });
    return true;
  }
}

/** Behind the length of the packet at `at`. */
function bodyAt(bytes: Buffer, at: number): number {
  let next = at + 1;
  while ((bytes[next] ?? 0) >= 128) next++;
  return next + 1;
}
