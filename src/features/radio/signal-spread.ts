import type { AntennaReads } from '../../contract/radio.ts';

/** How signal strengths spread: exact, in memory that follows how many different ones there are. */
export class SignalSpread {
  readonly #counts = new Map<number, number>();
  #total = 0;

  /** Takes one strength, hundredths of a dBm; null is left out. */
  add(rssiCdbm: number | null): void {
    if (rssiCdbm === null) return;
    this.#counts.set(rssiCdbm, (this.#counts.get(rssiCdbm) ?? 0) + 1);
    this.#total++;
  }

  /** Ends and percentiles by nearest rank; null when there was none. */
  answer(): AntennaReads['rssiCdbm'] {
    const known = [...this.#counts].sort(([a], [b]) => a - b);
    const [first] = known;
    const last = known.at(-1);
    if (!first || !last) return null;
    const at = (share: number): number => this.#rank(known, Math.ceil(share * this.#total)) ?? last[0];
    return { min: first[0], p10: at(0.1), p50: at(0.5), p90: at(0.9), max: last[0] };
  }

  #rank(known: readonly (readonly [number, number])[], rank: number): number | undefined {
    let passed = 0;
    return known.find(([, count]) => {
      passed += count;
      return passed >= rank;
    })?.[0];
  }
}
