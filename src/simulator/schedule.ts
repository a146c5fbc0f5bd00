/** One step of the schedule: it ends `at` (whole epoch ms) and covers the `dtMs` before. */
export interface Step {
  readonly at: number;
  readonly dtMs: number;
  /** Time before the step that nobody covers: the process did not get to run. */
  readonly skippedMs: number;
}

export interface ScheduleOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly longestStepMs: number;
  readonly step: (step: Step) => void;
}

export interface Schedule {
  stop(): void;
}

const SHORTEST_WAIT_MS = 20;
/** Under overload it is reads that are given up (skipped time), not the sockets that deliver them. */
const LONGEST_WAIT_MS = 200;

/**
 * Calls `step` every 20 ms; after a step of more work it waits as long as that took, so that sockets get half of the
 * time. A step covers exactly what the clock says has passed since the last: late timers cost no time. A clock set back
 * starts anew.
 */
export function startSchedule(options: ScheduleOptions): Schedule {
  let coveredUntil = Math.floor(options.now());
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const tick = (): void => {
    const at = Math.floor(options.now());
    const passedMs = Math.max(0, at - coveredUntil);
    const dtMs = Math.min(passedMs, options.longestStepMs);
    coveredUntil = at;
    const startedAt = performance.now();
    options.step({ at, dtMs, skippedMs: passedMs - dtMs });
    const workMs = performance.now() - startedAt;
    if (!stopped) timer = setTimeout(tick, Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, workMs)));
  };
  timer = setTimeout(tick, SHORTEST_WAIT_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
