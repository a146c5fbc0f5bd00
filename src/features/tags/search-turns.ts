import { refuse } from '../../domain/refusal.ts';
import { ClientGone } from '../../http/body.ts';

/** So many jobs wait for their turn at most. */
const WAITING_MAX = 64;

interface Waiting {
  readonly isGone: () => boolean;
  readonly begin: () => void;
  readonly drop: (cause: Error) => void;
}

/**
 * Lets one job run at a time, in the order they came, and everything else in between: each job keeps its own slices
 * short, but several at once would make one long one.
 */
export class Turns {
  #waiting: Waiting[] = [];
  #busy = false;

  /**
   * What the job answers. `isGone` tells whether nobody waits for that any more: then a job that has not begun never does.
   * Refuses with `unavailable` when as many wait as may; throws `ClientGone`.
   */
  async take<T>(job: () => T | Promise<T>, isGone: () => boolean = () => false): Promise<T> {
    if (this.#busy) await this.#turn(isGone);
    this.#busy = true;
    try {
      return await job();
    } finally {
      setImmediate(() => this.#next());
    }
  }

  #turn(isGone: () => boolean): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) this.#dropGone();
    if (this.#waiting.length >= WAITING_MAX)
      throw refuse('unavailable', 'As many searches wait as may; try again in a moment.');
    return new Promise((begin, drop) => this.#waiting.push({ isGone, begin, drop }));
  }

  #next(): void {
    this.#dropGone();
    const next = this.#waiting.shift();
    if (next) next.begin();
    else this.#busy = false;
  }

  #dropGone(): void {
    const gone = this.#waiting.filter(({ isGone }) => isGone());
    if (gone.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !gone.includes(waiting));
    for (const { drop } of gone) drop(new ClientGone());
  }
}
