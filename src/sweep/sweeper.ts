import type { Log } from '../log/log.ts';

/** Work that time decides, not an event. */
export interface SweepTask {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => unknown;
}

export interface Sweeper {
  /** Starts no more runs and waits for the running ones. */
  stop(): Promise<void>;
}

/** Runs every task at its interval, never twice at once. A failure is logged and the next run comes as planned. */
export function startSweeper(tasks: readonly SweepTask[], log: Log): Sweeper {
  const running = new Map<string, Promise<void>>();
  const timers = tasks.map((task) =>
    setInterval(() => {
      if (running.has(task.name)) return;
      running.set(
        task.name,
        runOnce(task, log).finally(() => running.delete(task.name)),
      );
    }, task.everyMs),
  );
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}

async function runOnce(task: SweepTask, log: Log): Promise<void> {
  try {
    await task.run();
  } catch (error) {
    log.error({ err: error, task: task.name }, 'a periodic task failed; it will run again');
  }
}
