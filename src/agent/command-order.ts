import type { Lane } from './job-queue.ts';

/**
 * Tells the newest command of each lane from older ones that a broker delivers behind it: for an agent that was away, what it
 * retains and what it queued come mixed. An older one is superseded; doing it would undo the newer.
 */
export class CommandOrder {
  readonly #newest = new Map<Lane, number>();

  /** False for a command older than one accepted before. One without a number is always accepted. */
  accept(lane: Lane, no: number | null): boolean {
    if (no === null) return true;
    if (no < (this.#newest.get(lane) ?? no)) return false;
    this.#newest.set(lane, no);
    return true;
  }
}
