import type { Log } from '../log/log.ts';

/** What must be undone at the end, last begun first. One failure does not keep the others from closing. */
export class Closers {
  readonly #log: Log;
  readonly #closers: { readonly name: string; readonly close: () => Promise<unknown> }[] = [];
  #closing: Promise<void> | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  add(name: string, close: () => Promise<unknown>): void {
    this.#closers.push({ name, close });
  }

  /** A second call waits for the first. */
  closeAll(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const { name, close } of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        this.#log.error({ err: error, part: name }, 'a part did not stop cleanly');
      }
    }
  }
}
