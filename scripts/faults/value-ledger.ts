/** What REST was asked to write into one place, and what was answered: the measure of what must be there. */
export class ValueLedger {
  /** What may be there now; several while a write is without an answer. */
  #possible: Set<string | null> = new Set([null]);
  readonly #answered: string[] = [];

  /** Values a 2xx was answered for, oldest first. */
  get answered(): readonly string[] {
    return this.#answered;
  }

  /** Whether it is known what is there. */
  get isCertain(): boolean {
    return this.#possible.size === 1;
  }

  /** A 2xx came. */
  took(value: string | null): void {
    this.#possible = new Set([value]);
    if (value !== null) this.#answered.push(value);
  }

  /** No answer came, or one that says that the disk failed: it may be there or not. */
  unanswered(value: string | null): void {
    this.#possible.add(value);
  }

  /** Compares with what is there: null when it may be, else the contradiction. What was seen is certain from now on. */
  faultIn(place: string, seen: string | null): string | null {
    const isPossible = this.#possible.has(seen);
    const wanted = [...this.#possible].join(' or ');
    this.#possible = new Set([seen]);
    return isPossible ? null : `${place} is ${seen}, ${wanted} was written`;
  }
}
