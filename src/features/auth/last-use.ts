/** Between two notes of the last use of one key or session. */
const NOTE_EVERY_MS = 60_000;
/** Of so many it is known that a note is under way, or failed within the minute. */
const REMEMBERED = 10_000;

/** Something that was used just now. `lastUsedAt` as the store has it, epoch ms. */
export interface Used {
  readonly id: string;
  readonly lastUsedAt: number | null;
}

/** Says for each use of a key or session whether it is to be noted: at most once a minute. */
export class LastUse {
  readonly #notedAt = new Map<string, number>();

  /** True: note it now. When the disk refuses the note, the next minute tries again. `now` is epoch ms. */
  due({ id, lastUsedAt }: Used, now: number): boolean {
    const last = Math.max(lastUsedAt ?? -Infinity, this.#notedAt.get(id) ?? -Infinity);
    if (now - last < NOTE_EVERY_MS) return false;
    // Only what the store does not know yet matters, so that little is lost by forgetting.
    if (this.#notedAt.size >= REMEMBERED) this.#notedAt.clear();
    this.#notedAt.set(id, now);
    return true;
  }
}
