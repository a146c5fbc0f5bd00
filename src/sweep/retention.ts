import { Pace } from '../lib/pace.ts';
import { alertTrim, historyTrim, type Trim, timelineTrim, visitTrim } from '../store/retention.ts';
import { type Store, WriteFailed } from '../store/store.ts';
import type { Key } from '../store/tables.ts';

/** What is kept for a time only. */
const trims = {
  visits: visitTrim,
  alerts: alertTrim,
  history: historyTrim,
  timelines: timelineTrim,
} as const satisfies Readonly<Record<string, Trim>>;

export type Trimmable = keyof typeof trims;

// The keys of a constant are what its type says.
const order = Object.keys(trims) as Trimmable[];

/** How much of each went. */
export type TrimCounts = Readonly<Record<Trimmable, number>>;

export interface RetentionOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  /** How long each is kept, ms; `visits` not below the presence window, so that no stay that may go on is taken. */
  readonly keepMs: Readonly<Record<Trimmable, number>>;
  /** False: the clock was set lately, nothing is thrown away by it. */
  readonly isSteady: () => boolean;
  /** How long a run may go on, ms. */
  readonly runMs?: number;
  /** Time from the end of one round to the next, ms. */
  readonly restMs?: number;
  /** Told at the end of a round. */
  readonly onRound?: (removed: TrimCounts) => void;
}

/** A 20th of the loop's time when run every second: a million tags are gone round in minutes. */
const RUN_MS = 50;
const REST_MS = 3_600_000;

/**
 * Removes what is older than it is to be kept: zone stays, resolved alerts, values of the past, timelines of retired
 * assets. `run` is for every second: a stretch of the tables at a time, in looks and writes of a few milliseconds, then a
 * rest after each round. Where it stands is in memory only: another start begins a new round. On a full disk it stops
 * where it is and goes on with the next run.
 */
export function createRetention(options: RetentionOptions): { readonly run: () => Promise<void> } {
  const round = new Round(options);
  return { run: () => round.run() };
}

class Round {
  readonly #options: RetentionOptions;
  readonly #removed: Record<Trimmable, number> = { visits: 0, alerts: 0, history: 0, timelines: 0 };
  /** What is being looked through, and where to go on in its table. */
  #at = 0;
  #start: Key | null = null;
  #restsUntil = 0;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { isSteady, runMs = RUN_MS } = this.#options;
    // Asked at every run, so that no jump of the clock goes unseen.
    if (!isSteady() || performance.now() < this.#restsUntil) return;
    const until = performance.now() + runMs;
    const pace = new Pace();
    do {
      if (!(await this.#step())) return;
      await pace.pause();
    } while (performance.now() < until && isSteady());
  }

  /** False when the round is over or the disk refuses. */
  async #step(): Promise<boolean> {
    const kind = order[this.#at];
    if (kind === undefined) return this.#rest();
    const { store, now, keepMs } = this.#options;
    const from = { start: this.#start, before: now() - keepMs[kind] };
    try {
      const { removed, next } = await trims[kind].step(store, from);
      this.#removed[kind] += removed;
      this.#start = next;
    } catch (error) {
      if (error instanceof WriteFailed) return false;
      throw error;
    }
    if (this.#start === null) this.#at++;
    return true;
  }

  #rest(): false {
    this.#options.onRound?.({ ...this.#removed });
    for (const kind of order) this.#removed[kind] = 0;
    this.#at = 0;
    this.#restsUntil = performance.now() + (this.#options.restMs ?? REST_MS);
    return false;
  }
}
