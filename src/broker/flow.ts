/** A connection that can be told to try reading again. */
export interface Wakeable {
  wake(): void;
}

/**
 * Bounds the bytes handed on and not yet settled over all connections: beyond the limit no socket is read.
 */
export class Flow {
  readonly #maxBytes: number;
  readonly #waiting = new Set<Wakeable>();
  #bytes = 0;
  #closed = false;
  #onIdle: (() => void) | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  enter(bytes: number): void {
    this.#bytes += bytes;
  }

  leave(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes === 0) this.#onIdle?.();
  }

  /** Whether a connection may read now; one that may not is woken when it may. */
  mayRead(connection: Wakeable): boolean {
    if (this.#closed) return false;
    if (this.#bytes < this.#maxBytes) return true;
    this.#waiting.add(connection);
    return false;
  }

  forget(connection: Wakeable): void {
    this.#waiting.delete(connection);
  }

  /** One at a time: each that is woken reads a whole buffer before the next is asked. */
  wakeWaiting(): void {
    if (this.#waiting.size === 0) return;
    for (const connection of this.#waiting) {
      if (this.#closed || this.#bytes >= this.#maxBytes) return;
      this.#waiting.delete(connection);
      connection.wake();
    }
  }

  /** No more reading from now on; resolves when nothing is unsettled, or after `timeoutMs`. */
  close(timeoutMs: number): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    if (this.#bytes === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
