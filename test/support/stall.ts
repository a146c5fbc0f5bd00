import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The longest the event loop was held by a work, ms. */
export async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const oneTurn = () => new Promise((resolve) => setTimeout(resolve, 5));
  delay.enable();
  // The time is taken from tick to tick: one before the work, and one after it.
  await oneTurn();
  await work();
  await oneTurn();
  delay.disable();
  return delay.max / 1e6;
}

/**
 * The longest this process computed without a turn of the event loop, ms of processor time: what else the machine does
 * leaves it as it is. Only for works of one thread, since those of all threads are counted.
 */
export async function computingStallOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.cpuUsage();
  const look = (): void => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.cpuUsage();
  };
  const timer = setInterval(look, 1);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return longest;
}
