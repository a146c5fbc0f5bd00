const PATHS_MAX = 500;
const OTHERS = 'others';

/** Counts calls by `METHOD path`; beyond 500 different ones under `others`. */
export class CallCounts {
  readonly #counts = new Map<string, number>();

  add(method: string, path: string): void {
    const wanted = `${method} ${path}`.slice(0, 300);
    const known = this.#counts.has(wanted) || this.#counts.size < PATHS_MAX;
    const key = known ? wanted : OTHERS;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Ordered by first call. */
  list(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
