/**
 * Lets one job run at a time, in the order they came, and everything else in between: each job keeps its own slices
 * short, but several at once would make one long one.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(job: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(job);
    this.#last = done.then(nextTurn, nextTurn);
    return done;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
