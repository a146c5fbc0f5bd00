import type { RadioState } from '../contract/payloads.ts';
import { limits } from '../domain/limits.ts';
import type { TagRead } from '../domain/read.ts';
import type { Problem } from './decode-figures.ts';

/** Something in a message that could not be read. */
export interface Rejection {
  /** One line for people that says where and what is wrong: `item 3: epc has 7 digits; 8 to 64 … are allowed`. */
  readonly reason: string;
}

/** What one message on a reader's `events` topic says. */
export interface DecodedEvents {
  readonly reads: readonly TagRead[];
  /** Well-formed events that are no reads, and empty lists: signs of life. */
  readonly otherEvents: number;
  /** What the message says of the radio, the last word counts; null when it says nothing of it. */
  readonly radio: RadioState | null;
  /** The first 20 things that could not be read; `rejectedCount` has them all. */
  readonly rejections: readonly Rejection[];
  readonly rejectedCount: number;
}

/** Collects what the decoders find in one message. `line`, `item` and `part` say where they are, 0 = not in a list. */
export class Tally {
  line = 0;
  item = 0;
  part = 0;
  readonly #reads: TagRead[] = [];
  readonly #rejections: Rejection[] = [];
  #otherEvents = 0;
  #rejectedCount = 0;
  #radio: RadioState | null = null;

  /** Takes a read, or why there is none. */
  add(read: TagRead | Problem): void {
    if (typeof read === 'function') this.reject(read);
    else this.#reads.push(read);
  }

  addOther(radio: RadioState | null): void {
    this.#otherEvents++;
    this.#radio = radio ?? this.#radio;
  }

  reject(problem: Problem): void {
    this.#rejectedCount++;
    if (this.#rejections.length >= limits.badPayloadsKept) return;
    this.#rejections.push({ reason: this.#place() + problem() });
  }

  result(): DecodedEvents {
    return {
      reads: this.#reads,
      otherEvents: this.#otherEvents,
      radio: this.#radio,
      rejections: this.#rejections,
      rejectedCount: this.#rejectedCount,
    };
  }

  #place(): string {
    const places: string[] = [];
    if (this.line > 0) places.push(`line ${this.line}`);
    if (this.item > 0) places.push(`item ${this.item}`);
    if (this.part > 0) places.push(`read ${this.part}`);
    return places.length > 0 ? `${places.join(', ')}: ` : '';
  }
}
