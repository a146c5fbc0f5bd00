/** Runs tasks of one key one after the other, tasks of different keys side by side. */
export class Serial {
  readonly #tails = new Map<string, Promise<void>>();

  /** Settles as the task does. */
  run(key: string, task: () => Promise<void>): Promise<void> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(task);
    const tail = result
      .catch(() => {})
      .then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return result;
  }
}
