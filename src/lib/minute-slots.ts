const MINUTE_MS = 60_000;

/** Points of a history, oldest first. */
export interface MinutePoints {
  /** Epoch ms, whole minutes. */
  readonly at: readonly number[];
  /** Where each point lies; null: no sample was taken then. */
  readonly slots: readonly (number | null)[];
}

/**
 * Which minutes have a sample in a ring of so many slots. The samples themselves lie in columns of that length: written to
 * `slotOf`, then made known by `taken`. One slot more than is ever asked for is never shown while it is written.
 */
export class MinuteSlots {
  readonly #minutes: Float64Array;

  constructor(count: number) {
    this.#minutes = new Float64Array(count).fill(Number.NaN);
  }

  /** Whether the minute of `now` (epoch ms) has no sample yet. */
  isDue(now: number): boolean {
    return !this.#has(minuteOf(now));
  }

  slotOf(now: number): number {
    return minuteOf(now) % this.#minutes.length;
  }

  taken(now: number): void {
    this.#minutes[this.slotOf(now)] = minuteOf(now);
  }

  /** The last `count` minutes: up to that of `now` if it has its sample already, else up to the one before. */
  last(count: number, now: number): MinutePoints {
    const current = minuteOf(now);
    const end = !this.#has(current) && this.#has(current - 1) ? current - 1 : current;
    const minutes = Array.from({ length: count }, (_, i) => end - count + 1 + i);
    return {
      at: minutes.map((minute) => minute * MINUTE_MS),
      slots: minutes.map((minute) => (this.#has(minute) ? minute % this.#minutes.length : null)),
    };
  }

  #has(minute: number): boolean {
    return this.#minutes[minute % this.#minutes.length] === minute;
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}
