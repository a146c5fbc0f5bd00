const MINUTE_MS = 60_000;
const JUMP_MS = 5 * MINUTE_MS;
const SETTLE_MS = 15 * MINUTE_MS;
const SETTLE_MAX_MS = 24 * 60 * MINUTE_MS;

export interface SteadyClockOptions {
  /** The clock that may be set; epoch ms. */
  readonly now: () => number;
  /** One that only runs forward, ms; by default the process's own. */
  readonly elapsed?: () => number;
}

/**
 * Tells whether the clock may be trusted with throwing things away. A box may boot with a wrong clock or be set by a year:
 * after a start it has to run evenly for 15 minutes, after a jump for as long as the jump was (15 minutes to a day), so
 * that there is time to put it right. Jumps under 5 minutes between two looks are corrections and don't count.
 */
export class SteadyClock {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  /** How far the clock is ahead of the elapsed time. */
  #ahead: number;
  #steadyFrom: number;

  constructor({ now, elapsed = () => performance.now() }: SteadyClockOptions) {
    this.#now = now;
    this.#elapsed = elapsed;
    this.#ahead = now() - elapsed();
    this.#steadyFrom = elapsed() + SETTLE_MS;
  }

  /** Looks at the clock; ask at least every few minutes. */
  isSteady(): boolean {
    const elapsed = this.#elapsed();
    const ahead = this.#now() - elapsed;
    const jump = Math.abs(ahead - this.#ahead);
    this.#ahead = ahead;
    if (jump > JUMP_MS) {
      const settleMs = Math.min(Math.max(jump, SETTLE_MS), SETTLE_MAX_MS);
      this.#steadyFrom = Math.max(this.#steadyFrom, elapsed + settleMs);
    }
    return elapsed >= this.#steadyFrom;
  }
}
