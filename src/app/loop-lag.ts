import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const NS_PER_MS = 1_000_000;

/** How late the event loop comes to its timers. The one behind `/metrics` begins anew with every look, so it is no use here. */
export class LoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #before = 0;

  constructor() {
    this.#histogram.enable();
  }

  /** To be called once a minute: what is told is of this stretch and the one before. */
  roll(): void {
    this.#before = this.#now();
    this.#histogram.reset();
  }

  /** Milliseconds that 99 of 100 timers were late at most, with one digit after the point. */
  p99(): number {
    return Math.max(this.#before, this.#now());
  }

  stop(): void {
    this.#histogram.disable();
  }

  #now(): number {
    if (this.#histogram.count === 0) return 0;
    // What it measures is the time between two timers, the wait that was asked for included.
    const ms = this.#histogram.percentile(99) / NS_PER_MS - RESOLUTION_MS;
    return Math.max(0, Math.round(ms * 10) / 10);
  }
}
