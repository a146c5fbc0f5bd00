import type { Loss } from './r700-event.ts';

/** The events a reader holds while it cannot send: first in, first out; when full, the oldest makes room. */
export interface EventBuffer {
  push(event: string): void;
  take(): string | undefined;
  /** Events waiting. */
  size(): number;
  /** Events given up since the beginning. */
  purged(): number;
  /** Whether `takeLoss` has something to tell. */
  hasLoss(): boolean;
  /** What was given up since the last call, undefined when nothing was. */
  takeLoss(): Loss | undefined;
}

/** A ring of at most `capacity` events (1 or more); it grows with use, so an idle reader costs nothing. */
export function createEventBuffer(capacity: number): EventBuffer {
  const slots: string[] = [];
  let head = 0;
  let size = 0;
  let purged = 0;
  let loss: Omit<Loss, 'remaining'> | undefined;
  const take = (): string | undefined => {
    if (size === 0) return undefined;
    const event = slots[head];
    slots[head] = '';
    head = (head + 1) % capacity;
    size -= 1;
    return event;
  };
  const purgeOldest = (): void => {
    const last = take() ?? '';
    purged += 1;
    loss = { first: loss?.first ?? last, last, purged: (loss?.purged ?? 0) + 1 };
  };
  return {
    push: (event) => {
      if (size === capacity) purgeOldest();
      slots[(head + size) % capacity] = event;
      size += 1;
    },
    take,
    size: () => size,
    purged: () => purged,
    hasLoss: () => loss !== undefined,
    takeLoss: () => {
      const taken = loss && { ...loss, remaining: size };
      loss = undefined;
      return taken;
    },
  };
}
