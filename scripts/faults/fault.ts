/** What a fault is given to run with. */
export interface FaultContext {
  /** A short run: to see whether it holds at all, not for figures. */
  readonly quick: boolean;
  /** The same seed chooses the same moments, as far as the machine lets it. */
  readonly seed: number;
  /** How long faults that are measured by time go on. */
  readonly minutes: number;
  /** An empty folder of its own, removed after it. */
  readonly folder: string;
  /** Tells how far it is, one line. */
  readonly log: (line: string) => void;
  /** Aborted when the suite is to end: the fault stops what it started and returns or throws. */
  readonly signal: AbortSignal;
}

/** A figure in words: `{ what: 'start after a kill, p50', value: '180 ms' }`. */
export interface Figure {
  readonly what: string;
  readonly value: string;
}

/** What came of it. */
export interface FaultOutcome {
  /** Whether what must hold did; never true when it could not be tried. */
  readonly held: boolean;
  readonly figures: readonly Figure[];
  /** Every contradiction that was seen, one line each; what to install when it could not be tried. */
  readonly faults: readonly string[];
}

/** Something that goes wrong for an appliance, and what must hold meanwhile and after it. */
export interface Fault {
  readonly name: string;
  /** One line for the table. */
  readonly must: string;
  run(context: FaultContext): Promise<FaultOutcome>;
}

/** The outcome of a fault that held when nothing was found against it. */
export function outcomeOf(figures: readonly Figure[], faults: readonly string[]): FaultOutcome {
  return { held: faults.length === 0, figures, faults };
}
