const WINDOW_MS = 60_000;

interface Sample {
  /** Of a clock that only runs forward, ms. */
  readonly at: number;
  readonly total: number;
}

/** How fast a counter grew over the last minute; since it was made, while that is shorter. */
export class ReadRate {
  readonly #total: () => number;
  readonly #elapsed: () => number;
  readonly #samples: Sample[] = [];

  /** `total` is a counter that never goes back; `elapsed` a clock that only runs forward, ms. */
  constructor(total: () => number, elapsed: () => number = () => performance.now()) {
    this.#total = total;
    this.#elapsed = elapsed;
    this.sample();
  }

  /** To be called every few seconds. */
  sample(): void {
    const at = this.#elapsed();
    this.#samples.push({ at, total: this.#total() });
    // The oldest one that stays is the last from before the window.
    while ((this.#samples[1]?.at ?? at) <= at - WINDOW_MS) this.#samples.shift();
  }

  /** With one digit after the point. */
  perSecond(): number {
    const [oldest] = this.#samples;
    if (!oldest) return 0;
    const seconds = Math.max(1, (this.#elapsed() - oldest.at) / 1000);
    return Math.round(((this.#total() - oldest.total) / seconds) * 10) / 10;
  }
}
