import type { LiveEvent } from '../contract/events.ts';
import { type EventFilter, passes } from './filter.ts';

/** How much of the past is kept: both hold. */
export interface RingLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** How much of the past is looked at, or read, in one go. At least one batch is. */
export interface RingReading {
  readonly filter: EventFilter | null;
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** A piece of the past: frames of events that pass the filter, out of all those up to `last`. */
export interface RingPart {
  readonly last: number;
  readonly bytes: Buffer;
  readonly count: number;
}

interface Batch {
  readonly first: number;
  /** Where its frames begin in the ring's bytes, and how many there are. */
  readonly start: number;
  readonly length: number;
  readonly events: readonly (LiveEvent | null)[];
}

const END = Buffer.from('\n\n');

/**
 * The last events of one organisation as they went out, numbered from 1 without gaps. The oldest batches go first. The
 * frames are copied into bytes that are used round and round: Buffers kept for a while and then let go would pile up
 * until the next full garbage collection.
 */
export class Ring {
  readonly #maxEvents: number;
  /** Pages nothing was written to yet cost nothing. */
  readonly #bytes: Buffer;
  readonly #batches: Batch[] = [];
  #end = 0;
  #last = 0;
  #count = 0;

  constructor({ maxEvents, maxBytes }: RingLimits) {
    this.#maxEvents = maxEvents;
    this.#bytes = Buffer.allocUnsafeSlow(maxBytes);
  }

  /** The number of the newest event; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** Whether everything after this number is still here. */
  reaches(after: number): boolean {
    return after >= this.#last - this.#count && after <= this.#last;
  }

  /** Takes a batch that went out: the frames in one Buffer, and their events; null lets every filter pass. */
  push(bytes: Buffer, events: readonly (LiveEvent | null)[]): void {
    const { length } = bytes;
    const start = this.#clear(length);
    this.#bytes.set(bytes.subarray(0, this.#bytes.length), start);
    this.#batches.push({ first: this.#last + 1, start, length, events });
    this.#end = start + length;
    this.#last += events.length;
    this.#count += events.length;
    while (this.#count > this.#maxEvents || this.#end > this.#bytes.length) this.#dropOldest();
  }

  /** The events after this number, as many as `reading` says; null when some of them are gone. */
  read(after: number, { filter, maxEvents, maxBytes }: RingReading): RingPart | null {
    if (!this.reaches(after)) return null;
    const chunks: Buffer[] = [];
    const part = { last: after, length: 0, count: 0 };
    for (let nth = this.#indexAfter(after); nth < this.#batches.length; nth++) {
      const batch = this.#batches[nth];
      if (!batch || part.last - after >= maxEvents || part.length >= maxBytes) break;
      const found = framesIn(this.#bytes, batch, { after: part.last, filter });
      part.last = batch.first + batch.events.length - 1;
      part.count += found.count;
      for (const chunk of found.chunks) part.length += chunk.length;
      chunks.push(...found.chunks);
    }
    return { last: part.last, count: part.count, bytes: Buffer.concat(chunks) };
  }

  /** Makes room for so many bytes in one piece after the newest batch; answers where. */
  #clear(length: number): number {
    const isOver = this.#end + length > this.#bytes.length;
    // What stands between the newest batch and the end of the bytes is the oldest.
    if (isOver) while (this.#batches[0] && this.#batches[0].start >= this.#end) this.#dropOldest();
    const start = isOver ? 0 : this.#end;
    while (this.#batches[0] && overlap(this.#batches[0], start, length)) this.#dropOldest();
    return start;
  }

  #dropOldest(): void {
    this.#count -= this.#batches.shift()?.events.length ?? 0;
    if (this.#batches.length === 0) this.#end = 0;
  }

  /** Where the batch with the event after this number is. */
  #indexAfter(after: number): number {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const batch = this.#batches[middle];
      if (batch && batch.first + batch.events.length <= after + 1) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface Frames {
  readonly chunks: Buffer[];
  readonly count: number;
}

function overlap(batch: Batch, start: number, length: number): boolean {
  return batch.start < start + length && start < batch.start + batch.length;
}

// A frame's only blank line is its end, so that frames need no index.
function framesIn(
  bytes: Buffer,
  { first, start, length, events }: Batch,
  { after, filter }: { readonly after: number; readonly filter: EventFilter | null },
): Frames {
  if (!filter && after < first)
    return { chunks: [bytes.subarray(start, start + length)], count: events.length };
  const chunks: Buffer[] = [];
  let at = start;
  events.forEach((event, nth) => {
    const end = bytes.indexOf(END, at) + END.length;
    const isWanted = first + nth > after && (!filter || !event || passes(filter, event));
    if (isWanted) chunks.push(bytes.subarray(at, end));
    at = end;
  });
  return { chunks, count: chunks.length };
}
