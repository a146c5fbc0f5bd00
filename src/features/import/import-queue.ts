import { Refused, refuse } from '../../domain/refusal.ts';

/** Uploads arriving or waiting at a time, on the whole appliance: each may take 64 MB of the data disk. */
const MAX_IMPORTS = 4;
const RETRY_AFTER_SECONDS = 5;

/** Lets a few imports in at a time and one of them work: together they would only be slower. */
export class ImportQueue {
  #inside = 0;
  #last: Promise<unknown> = Promise.resolve();
  #running = new Set<Promise<unknown>>();
  stopping = false;

  /** Runs `action` in one of the places. Refuses with 429 when all are taken, 503 while the service stops. */
  async enter<T>(action: () => Promise<T>): Promise<T> {
    if (this.stopping) throw refuse('unavailable', 'The service is stopping.');
    if (this.#inside >= MAX_IMPORTS) throw tooMany();
    this.#inside++;
    const running = action();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#inside--;
    }
  }

  /** Runs `action` when those before it are done. */
  inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Lets nobody in any more, ends what applies rows after its running transaction, and resolves when all are out. */
  async close(): Promise<void> {
    this.stopping = true;
    await Promise.allSettled(this.#running);
  }
}

function tooMany(): Refused {
  const detail = `${MAX_IMPORTS} imports are running or waiting, as many as there may be.`;
  return new Refused({ kind: 'too-many-requests', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
