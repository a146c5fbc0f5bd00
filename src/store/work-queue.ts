import { Refused } from '../domain/refusal.ts';

/** How much work may run, and how much more may wait for it. */
export interface WorkQueueOptions {
  readonly atOnce: number;
  readonly waiting: number;
}

/** What a caller who finds the line full is told to wait. */
const RETRY_AFTER_SECONDS = 5;

/** Bounds work that takes much memory or processor: so many jobs at once, so many more in line, in order. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #line: (() => void)[] = [];
  #running = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Runs the job when its turn comes. Throws `too-many-requests` at once when the line is full. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      return await job();
    } finally {
      this.#pass();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < this.#options.atOnce) {
      this.#running++;
      return;
    }
    if (this.#line.length >= this.#options.waiting)
      throw new Refused({
        kind: 'too-many-requests',
        detail: 'Too many passwords are being checked right now. Try again in a few seconds.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    await new Promise<void>((resolve) => this.#line.push(resolve));
  }

  /** The place goes to the next in line, or is free. */
  #pass(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#running--;
  }
}
