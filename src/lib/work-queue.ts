/** How much work may run, how much more may wait for it, and what a caller who finds the line full is told. */
export interface WorkQueueOptions {
  readonly atOnce: number;
  readonly waiting: number;
  readonly full: () => Error;
}

/** Bounds work that takes much memory or processor: so many jobs at once, so many more in line, in order. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #line: (() => void)[] = [];
  #running = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Runs the job when its turn comes. Throws what `full` makes, at once, when the line is full. */
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
    if (this.#line.length >= this.#options.waiting) throw this.#options.full();
    await new Promise<void>((resolve) => this.#line.push(resolve));
  }

  /** The place goes to the next in line, or is free. */
  #pass(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#running--;
  }
}
